#!/usr/bin/env python3
# make_profile_corpus.py - writes the starting inputs of fuzz_profile.
#     python3 tests/fuzz/make_profile_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

top = os.path.join(sys.argv[1], "profile")
os.makedirs(top, exist_ok=True)


def put(name, kind, text):
    with open(os.path.join(top, name), "wb") as f:
        f.write(bytes([kind]) + text.encode())


put("file", 0, "[default]\nregion = eu-west-1\naws_access_key_id=A\n"
    "aws_secret_access_key : b=c\n; x\n# y\n[profile  two]\r\nservices = a\r\n"
    "[services a]\ns3 =\n  endpoint_url = http://h:1\n\tx=y\nsts =\n")
put("file-quoted", 0, '[profile "a b"]\nregion=x\n[ default ] ; c\nregion=y\n')
put("file-mark", 0, "\ufeff[default]\nregion=z")
put("file-odd", 0, "[default\n=x\n  a=b\nregion\n[]\n:\n[profile]\n[services]\n")
put("command", 1, "/bin/sh -c 'echo \"a\" b' \"x\\\"y\" a\\ b ''")
put("command-open", 1, "a 'b")
put("command-slash", 1, "a b\\")
put("command-many", 1, "x" + " x" * 300)
put("json", 2, '{"Code":"Success","AccessKeyId":"A","SecretAccessKey":"b\\/",'
    '"Token":"t","Expiration":"2099-01-01T00:00:00Z"}')
put("json-null", 2, '{"AccessKeyId":"A","SecretAccessKey":"s","Token":null,'
    '"Expiration":null}')
put("json-old", 2, '{"AccessKeyId":"A","SecretAccessKey":"s","Token":"t",'
    '"Expiration":"2000-01-01T00:00:00Z"}')
put("json-header", 2, '{"AccessKeyId":"A","SecretAccessKey":"s\\r\\nX: y"}')
put("xml", 3, '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/'
    '2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId>'
    "<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
    "<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>"
    "</AssumeRoleResult></AssumeRoleResponse>")
put("xml-none", 3, "<a><b/></a>")
put("xml-half", 3, "<a><b><Credentials><AccessKeyId>A</AccessKeyId>"
    "</Credentials></b></a>")
