#!/usr/bin/env python3
# make_s3answer_corpus.py - writes the starting inputs of fuzz_s3answer.
#     python3 tests/fuzz/make_s3answer_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

top = os.path.join(sys.argv[1], "s3answer")
os.makedirs(top, exist_ok=True)
NS = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
MD5 = "0123456789abcdef0123456789abcdef"


def put(name, text, encoding="utf-8"):
    with open(os.path.join(top, name), "wb") as f:
        f.write(text.encode(encoding))


def answer(name, root, inner):
    put(name, '<?xml version="1.0"?>\n<%s%s>%s</%s>' % (root, NS, inner, root))


def part(n, size="5", etag='"%s"' % MD5):
    return ("<Part><PartNumber>%s</PartNumber><ETag>%s</ETag><Size>%s</Size>"
            "</Part>" % (n, etag, size))


answer("initiated", "InitiateMultipartUploadResult",
       "<Key>k</Key><UploadId>VXBs.b_2-Q--</UploadId>")
answer("initiated-none", "InitiateMultipartUploadResult", "<Key>k</Key>")
answer("initiated-blank", "InitiateMultipartUploadResult",
       "<UploadId>a b</UploadId>")
answer("initiated-long", "InitiateMultipartUploadResult",
       "<UploadId>%s</UploadId>" % ("x" * 1025))
answer("completed", "CompleteMultipartUploadResult",
       "<ETag>&quot;%s-3&quot;</ETag>" % MD5)
answer("completed-odd", "CompleteMultipartUploadResult", "<ETag>&lt;</ETag>")
answer("parts", "ListPartsResult", "<IsTruncated>true</IsTruncated>"
       "<NextPartNumberMarker>2</NextPartNumberMarker>" + part(1) + part(2))
answer("parts-no-next", "ListPartsResult", "<IsTruncated>true</IsTruncated>")
answer("parts-zero", "ListPartsResult", part(0))
answer("parts-beyond", "ListPartsResult", part(10001))
answer("parts-size", "ListPartsResult", part(1, "9" * 30))
answer("parts-etag", "ListPartsResult", part(1, "5", "a b"))
answer("parts-many", "ListPartsResult", "<Part/>" * 1001)
answer("error", "Error", "<Code>NoSuchUpload</Code><Message>a\n\u00e9 b</Message>")
answer("error-region", "Error", "<Code>AuthorizationHeaderMalformed</Code>"
       "<Message>expecting 'eu-west-1'</Message><Region>eu-west-1</Region>")
answer("error-response", "ErrorResponse", "<Error><Type>Sender</Type><Code>"
       "ExpiredTokenException</Code><Message>no</Message></Error>")
put("error-cut", "<Error><Code>SignatureDoesNotMatch</Code><Message>a</Message>"
    "<CanonicalRequest>GET\n/")
put("error-control", "<Error><Code>a&#x9b;\x1b[2J</Code></Error>")
answer("other", "ListBucketResult", "<Name>b</Name>")
put("cdata", "<Error><Code><![CDATA[SlowDown]]></Code></Error>")
put("late", '<?xml version="1.0"?>\n\n   \n<Error><Code>x</Code></Error>')
put("dtd", '<!DOCTYPE Error [<!ENTITY a "b">]><Error><Code>&a;</Code></Error>')
put("deep", "<a>" * 400)
put("cut", "<Error><Code>x")
LIST = ('<?xml version="1.0" encoding="%s"?><ListBucketResult' + NS +
        "><IsTruncated>true</IsTruncated><NextContinuationToken>t"
        "</NextContinuationToken><EncodingType>url</EncodingType><Contents>"
        "<Key>a%%20b+\u00e9</Key><ETag>&quot;x&quot;</ETag><Size>7</Size>"
        "</Contents><Contents><Key><!-- c --><![CDATA[d&]]>e</Key><Size>1</Size>"
        "</Contents></ListBucketResult>")
put("list", LIST % "UTF-8")
put("list-latin1", LIST % "ISO-8859-1", "latin-1")
put("list-utf16", LIST % "UTF-16", "utf-16")
put("prefixes", '<s:Error xmlns:s="u"><s:Code>x</s:Code><Code xmlns="">y</Code>'
    "</s:Error>")
put("keys", "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>a"
    "</AccessKeyId><SecretAccessKey>b</SecretAccessKey><SessionToken>c"
    "</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials>"
    "</AssumeRoleResult></AssumeRoleResponse>")
put("html", "<html><body>no<br></body></html>")
put("empty", "")
