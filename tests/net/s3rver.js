// s3rver.js - serves a folder of buckets as S3, with the npm package s3rver.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     node s3rver.js NPM-FOLDER PORT FOLDER
//
// FOLDER/BUCKET/KEY files are put into the buckets first.  The access key and
// the secret are both S3RVER.  Objects of a bucket whose name begins with
// "public" can be read without them.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const [home, port, folder] = process.argv.slice(2);
const S3rver = require(path.join(home, 'node_modules', 's3rver'));

const store = fs.mkdtempSync(path.join(os.tmpdir(), 's3rver-'));
process.on('exit', () => fs.rmSync(store, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit(0));

function keys(dir, below = '') {
  return fs.readdirSync(path.join(dir, below), { withFileTypes: true })
    .flatMap((e) => e.isDirectory() ? keys(dir, path.join(below, e.name))
      : [path.join(below, e.name)]);
}

const buckets = fs.readdirSync(folder);
const server = new S3rver({
  port: Number(port), address: '127.0.0.1', silent: true, directory: store,
  allowMismatchedSignatures: false,
  configureBuckets: buckets.map((name) => ({ name })),
});

server.run().then(async () => {
  const { store: objects } = server;
  // it takes an end of 0 for none
  const get = objects.getObject.bind(objects);
  objects.getObject = (bucket, key, o) => get(bucket, key,
    o && o.end === 0 ? { ...o, end: new Number(0) } : o);
  for (const bucket of buckets) {
    for (const key of keys(path.join(folder, bucket))) {
      await objects.putObject({
        bucket, key,
        content: fs.createReadStream(path.join(folder, bucket, key)),
        metadata: { 'content-type': 'application/octet-stream' },
      });
    }
  }
  console.log('ready');
}).catch((e) => { console.error(e); process.exit(1); });
