// SPDX-License-Identifier: MIT
// RFC 9110 section 9: which methods there are here, and how the others are refused.

import { answered, asked, ended, head, mustAll, served } from './row.mjs'

const ALLOW = 'GET, HEAD, OPTIONS'

/* A 405 has Allow (section 15.5.6). Whoever answers with another status breaks no rule by it. */
const allowIf405 = {
  must: true,
  judge: {
    accepts: ({ status, headers }) => status !== 405 || /\bGET\b/.test(headers.allow ?? ''),
  },
}

/* A 204 has no Content-Length (RFC 9110 section 8.6). */
const bare204 = {
  must: true,
  judge: {
    accepts: ({ status, headers }) => status !== 204 || headers['content-length'] === undefined,
  },
}

/* Registered with IANA, and nothing a file here can do. */
const registered = [
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'REPORT',
  'SEARCH',
  'LINK',
  'UNLINK',
  'ACL',
  'BIND',
  'MERGE',
  'VERSION-CONTROL',
]

const unknown = [
  'M-SEARCH',
  'PURGE',
  'SOURCE',
  'ANNOUNCE',
  'PRI',
  'MKCOLA',
  'BREW',
  'get',
  'Get',
  'gET',
  'head',
  'Options',
  'post',
  'GE',
  'GETT',
  'GETX',
  'HEADER',
  'OPTION',
  'XGET',
  'GET-',
  '0',
  '-',
]

export const methods = {
  title: 'methods',
  sources: ['llhttp', 'nginx-tests', 'lighttpd', 'Http11Probe'],
  rows: [
    served('GET', '9110 §9.1', asked('GET'), mustAll),
    answered(200, 'HEAD', '9110 §9.1', asked('HEAD'), { ...mustAll, body: '' }),
    ...['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'].map((method) =>
      answered(405, method, '9110 §15.5.6', asked(method), {
        ...allowIf405,
        headers: { allow: ALLOW },
      }),
    ),
    answered(
      405,
      'POST of a length',
      '9110 §15.5.6',
      `${asked('POST', 'Content-Length: 5')}hello`,
      {
        ...allowIf405,
        headers: { allow: ALLOW },
      },
    ),
    answered(
      405,
      'POST of what is not there',
      '9110 §9.3.3',
      head('POST /nope HTTP/1.1', 'Host: test'),
      {
        ...allowIf405,
        headers: { allow: ALLOW },
      },
    ),
    answered(
      405,
      'PUT with If-Match',
      '9110 §13.2.1',
      asked('PUT', 'If-Match: "x"', 'Content-Length: 0'),
    ),
    answered(405, 'DELETE with If-None-Match', '9110 §13.2.1', asked('DELETE', 'If-None-Match: *')),
    answered(
      405,
      'POST with Range',
      '9110 §14.2',
      asked('POST', 'Range: bytes=0-1', 'Content-Length: 0'),
    ),
    ended(405, 'CONNECT', '9112 §3.2.3', head('CONNECT test:443 HTTP/1.1', 'Host: test:443')),
    ended(405, 'CONNECT of HTTP/1.0', '9112 §3.2.3', 'CONNECT home_0.example:443 HTTP/1.0\r\n\r\n'),
    ended(405, 'CONNECT of a path', '9112 §3.2.3', head('CONNECT /a.txt HTTP/1.1', 'Host: test')),
    answered(204, 'OPTIONS of a file', '9110 §9.3.7', asked('OPTIONS'), {
      ...bare204,
      headers: { allow: ALLOW },
    }),
    answered(
      204,
      'OPTIONS of the server',
      '9112 §3.2.4',
      head('OPTIONS * HTTP/1.1', 'Host: test'),
      {
        ...bare204,
        headers: { allow: ALLOW },
      },
    ),
    ended(204, 'OPTIONS of the server in HTTP/1.0', '9112 §3.2.4', 'OPTIONS * HTTP/1.0\r\n\r\n'),
    answered(
      204,
      'OPTIONS in absolute form',
      '9112 §3.2.4',
      head('OPTIONS http://test HTTP/1.1', 'Host: test'),
      {
        headers: { allow: ALLOW },
      },
    ),
    answered(
      204,
      'OPTIONS with a body',
      '9110 §9.3.7',
      `${asked('OPTIONS', 'Content-Length: 4')}1234`,
    ),
    ...registered.map((method) =>
      answered(405, method, '9110 §15.5.6', asked(method), {
        headers: { allow: ALLOW },
      }),
    ),
    ...unknown.map((method) =>
      answered(501, `${method} is not known`, '9110 §9.1', asked(method), {
        headers: { allow: null },
      }),
    ),
    answered(
      501,
      'an unknown method with a body',
      '9110 §15.6.2',
      `${asked('BREW', 'Content-Length: 4')}pot!`,
    ),
    answered(
      501,
      'an unknown method of what is not there',
      '9110 §15.6.2',
      head('BREW /nope HTTP/1.1', 'Host: test'),
    ),
    ended(
      400,
      'an unknown method of an asterisk',
      '9112 §3.2.4',
      head('M-SEARCH * HTTP/1.1', 'Host: test'),
    ),
  ],
}
