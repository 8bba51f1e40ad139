#!/usr/bin/env python3
# mcp_client.py - the official client (PyPI mcp) asks crawlfs: it checks each
# answer against the schemas that the tools state.
#     mcp_client.py PROGRAM SOURCE|URL
# SPDX-License-Identifier: GPL-3.0-or-later
import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def ask(s):
    tools = (await s.list_tools()).tools
    assert {"list", "read", "captures", "compare"} <= {t.name for t in tools}
    text = "http://a.example/%s.txt"
    for name, args, want in (
            ("list", {}, "example/"),
            ("list", {"path": "example/a/_/many", "max_chars": 1000}, "cursor"),
            ("read", {"path": text % "short"}, "2\ttwo"),
            ("read", {"path": text % "wide", "max_chars": 1000,
                      "start_line": 2}, "start_byte"),
            ("read", {"path": text % "hostile"}, "good"),
            ("captures", {"path": text % "versions"}, "versions.txt#1"),
            ("compare", {"old": "example/a/_/versions.txt#1",
                         "new": "example/a/_/versions.txt"}, "+1\twholly")):
        r = await s.call_tool(name, args)
        assert want in r.content[0].text, (name, args, r)
    r = await s.call_tool("read", {"path": "http://a.example/nothing"})
    assert "not in the index" in r.content[0].text, r
    await s.send_ping()
    await s.list_resources()
    r = await s.read_resource("crawlfs:///example/a/_/short.txt")
    assert "2\ttwo" in r.contents[0].text, r


async def main(program, source):
    if source.startswith("http:"):
        from mcp.client.streamable_http import streamable_http_client
        async with streamable_http_client(source) as (r, w, *_):
            async with ClientSession(r, w) as s:
                await s.initialize()
                await ask(s)
        return
    how = StdioServerParameters(command=program, args=["mcp", source])
    async with stdio_client(how) as (r, w):
        async with ClientSession(r, w) as s:
            await s.initialize()
            await ask(s)


asyncio.run(main(*sys.argv[1:3]))
