#!/usr/bin/env python3
# make_mcp_corpus.py - writes the starting inputs of fuzz_mcp.
#     python3 tests/fuzz/make_mcp_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import json

from corpus_files import put


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def call(tool, **arguments):
    return message("tools/call", name=tool, arguments=arguments)


MESSAGES = {
    "initialize": message("initialize", protocolVersion="2025-06-18"),
    "ping": message("ping"), "tools": message("tools/list"),
    "resources": message("resources/list"),
    "templates": message("resources/templates/list"),
    "resource": message("resources/read", uri="crawlfs:///com/a/_/"),
    "page": message("resources/read", uri="crawlfs:///com/a/_/%FF/c"),
    "unknown": message("nothing"),
    "cancel": {"jsonrpc": "2.0", "method": "notifications/cancelled",
               "params": {"requestId": "a\u2028"}},
    "response": {"jsonrpc": "2.0", "id": 1, "result": {}},
    "batch": [message("ping"), 1, message("tools/list")],
    "list": call("list"), "list-of": call("list", path="com/a/_"),
    "list-cursor": call("list", path="com/a/_",
                        cursor=str((1 << 62) + (1 << 61) + 0x113)),
    "list-name": call("list", path="b/com/a/_/", max_chars=1000),
    "read": call("read", path="http://a.com/b", time="2020", view="raw"),
    "read-lines": call("read", path="a/com/a/_/b", start_line=1, end_line=1),
    "read-bytes": call("read", path="http://a.com/b", start_byte=3, end_byte=5,
                       view="raw"),
    "read-meta": call("read", path="http://b.org/d/e", view="meta"),
    "captures": call("captures", path="com.a", cursor="1"),
    "captures-times": call("captures", path="http://a.com/*",
                           **{"from": "2020", "to": 2021}),
    "compare": call("compare", old="http://a.com/", new="com/a/_/b#1"),
    "compare-cursor": call("compare", old="com/a/_/b", new="com/a/_/b#1",
                           view="md", cursor="1"),
    "grep": call("grep", pattern="^(x|t).$", ignore_case=True),
    "grep-fixed": call("grep", pattern="[more]", fixed=True, cursor="1"),
    "search": call("search", query="one \"two three\"", host="*.a.com"),
    "null": call("read", path=None), "wrong": call("read", path=[1], x="\0"),
}
for name, m in MESSAGES.items():
    put("mcp", name, b"\0" + json.dumps(m).encode())
    put("mcp", name + "-two", b"\1" + json.dumps(m).encode())
put("mcp", "deep", b"\0" + b"[" * 99)
put("mcp", "spelled", b'\0{"jsonrpc":"2.0","i\\u0064":"\\ud83d","method":"ping"}')
put("mcp", "twice", b'\0{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"} x')
