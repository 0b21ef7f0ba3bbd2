// SPDX-License-Identifier: MIT
// RFC 9110 section 9.3.2: what GET would have got, and never a byte of a body.

import { answered, asked, ended, getOf, head } from './row.mjs'

const of = (target, ...lines) => getOf(target, ...lines).replace(/^GET/, 'HEAD')

/* Whatever the status: behind the head comes the next response or the end. */
const bodiless = {
  must: true,
  judge: {
    accepts: (_, { rest }) => rest.length === 0,
  },
  body: '',
}

export const headMethod = {
  title: 'HEAD',
  sources: ['lighttpd', 'llhttp', 'nginx-tests', 'Http11Probe'],
  rows: [
    answered(200, 'a file', '9110 §9.3.2', asked('HEAD'), {
      ...bodiless,
      headers: {
        'content-length': '6',
        'content-type': /^text\/plain/,
        'accept-ranges': 'bytes',
        etag: /^"/,
      },
    }),
    answered(200, 'an empty file', '9110 §9.3.2', of('/empty.txt'), {
      ...bodiless,
      headers: { 'content-length': '0' },
    }),
    answered(200, 'a large file', '9110 §9.3.2', of('/large.bin'), {
      ...bodiless,
      headers: { 'content-length': '300000' },
    }),
    answered(200, 'a folder', '9110 §9.3.2', of('/folder/'), {
      ...bodiless,
      headers: { 'content-length': '7' },
    }),
    answered(301, 'a folder without its slash', '9110 §9.3.2', of('/folder'), {
      ...bodiless,
      headers: { location: '/folder/' },
    }),
    answered(404, 'a file that is not there', '9110 §9.3.2', of('/nope'), bodiless),
    answered(400, 'a path that is refused', '9110 §9.3.2', of('/%00'), bodiless),
    answered(304, 'not modified', '9110 §9.3.2', of('/a.txt', 'If-None-Match: *'), bodiless),
    answered(
      412,
      'a precondition that fails',
      '9110 §9.3.2',
      of('/a.txt', 'If-Match: "x"'),
      bodiless,
    ),
    answered(200, 'Range means nothing', '9110 §14.2', of('/numbers.txt', 'Range: bytes=0-9'), {
      ...bodiless,
      judge: {
        accepts: ({ status, headers }, { rest }) =>
          status === 200 && !headers['content-range'] && rest.length === 0,
      },
      headers: { 'content-length': '1000', 'content-range': null },
    }),
    answered(
      200,
      'nor does a Range that lies behind the end',
      '9110 §14.2',
      of('/numbers.txt', 'Range: bytes=5000-'),
      {
        must: true,
        judge: { accepts: ({ status }) => status === 200 },
        body: '',
        headers: { 'content-range': null },
      },
    ),
    ended(200, 'of HTTP/1.0', '9110 §9.3.2', head('HEAD /a.txt HTTP/1.0', 'Host: test'), bodiless),
    ended(200, 'with close', '9110 §9.3.2', of('/a.txt', 'Connection: close'), bodiless),
    ended(400, 'without Host', '9110 §9.3.2', head('HEAD /a.txt HTTP/1.1'), bodiless),
    ended(400, 'with a target of no form', '9110 §9.3.2', of('a.txt'), bodiless),
    ended(
      400,
      'with a control character in a field',
      '9110 §9.3.2',
      of('/a.txt', 'X: \x01'),
      bodiless,
    ),
    ended(
      400,
      'with a Content-Length that is none',
      '9110 §9.3.2',
      of('/a.txt', 'Content-Length: x'),
      bodiless,
    ),
    ended(414, 'with a target one byte too long', '9110 §9.3.2', of(`/${'x'.repeat(8192)}`), {
      ...bodiless,
      must: false,
    }),
    ended(
      414,
      'with a target far too long',
      '9110 §9.3.2',
      of(`/${'x'.repeat(100_000)}`),
      bodiless,
    ),
    ended(
      431,
      'with a field far too long',
      '9110 §9.3.2',
      of('/a.txt', `X: ${'x'.repeat(100_000)}`),
      bodiless,
    ),
    ended(417, 'with an unknown expectation', '9110 §9.3.2', of('/a.txt', 'Expect: x'), bodiless),
    ended(505, 'of HTTP/2.0', '9110 §9.3.2', head('HEAD /a.txt HTTP/2.0', 'Host: test'), bodiless),
    ended(
      400,
      'with a tab before the version',
      '9110 §9.3.2',
      head('HEAD /a.txt\tHTTP/1.1', 'Host: test'),
      { ...bodiless, must: false },
    ),
    ended(400, 'with NUL in its target', '9110 §9.3.2', of('/a\0'), { ...bodiless, must: false }),
    ended(400, 'with a space in its target', '9110 §9.3.2', of('/a b'), {
      ...bodiless,
      must: false,
    }),
    ended(
      400,
      'with a version that is none',
      '9110 §9.3.2',
      head('HEAD /a.txt HTTP/1.x', 'Host: test'),
      { ...bodiless, must: false },
    ),
  ],
}
