// SPDX-License-Identifier: MIT
// What tests of HTTP/2 with prior knowledge ask for.
import { connectHttp2, exchangeHttp2 } from '../conformance/http2.mjs'

const KB = 1024
export const files = {
  'a.txt': 'alpha',
  'small.css': 'c'.repeat(30 * KB),
  'big.bin': Buffer.alloc(3_000_000, 'b'),
  'app.js': 'plain',
  'app.js.gz': 'packed',
  'folder/x.txt': 'x',
  'error.html': 'not here',
}

/** One request on a session of its own, or on `session`. */
export async function ask(node, path, fields = {}, session = null) {
  const own = session ?? connectHttp2(node.port)
  const headers = {
    ':method': 'GET',
    ':scheme': 'http',
    ':authority': 'test',
    ':path': path,
    ...fields,
  }
  const response = await exchangeHttp2(own, { headers, content: Buffer.alloc(0) })
  if (!session) own.destroy()
  return response
}
