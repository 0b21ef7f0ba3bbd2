// SPDX-License-Identifier: MIT
// RFC 9110 section 10.1.1. We have no use for a body: the final answer comes instead of a 100, and
// as the client may or may not send the body then, the connection ends where there is one.

import { asked, ended, get, head, served } from './row.mjs'

const post = (...lines) => asked('POST', ...lines)

/* No 1xx to HTTP/1.0, which does not know them, and no 417 for what it must ignore. */
const ignored = {
  must: true,
  judge: {
    accepts: ({ status }, { responses }) =>
      status !== 417 && responses.every((one) => one.status >= 200),
  },
}

export const expect = {
  title: 'Expect',
  sources: ['nginx-tests', 'lighttpd', 'h2o', 'Http11Probe'],
  rows: [
    served(
      'without a body there is nothing to wait for',
      '9110 §10.1.1',
      get('Expect: 100-continue'),
    ),
    served(
      'with a body of no bytes',
      '9110 §10.1.1',
      get('Expect: 100-continue', 'Content-Length: 0'),
    ),
    served('in any case', '9110 §10.1.1', get('Expect: 100-Continue')),
    served('twice in a list', '9110 §10.1.1', get('Expect: 100-continue, 100-continue')),
    served('in two lines', '9110 §5.3', get('Expect: 100-continue', 'Expect: 100-continue')),
    served('nothing', '9110 §5.6.1', get('Expect:')),
    served('empty elements around it', '9110 §5.6.1', get('Expect: ,100-continue, ,')),
    ended(
      417,
      'another in a second line',
      '9110 §15.5.18',
      get('Expect: 100-continue', 'Expect: x'),
    ),
    ended(
      200,
      'an unknown expectation in HTTP/1.0',
      '9110 §10.1.1',
      head('GET /a.txt HTTP/1.0', 'Host: test', 'Expect: miracles'),
      { body: 'alpha\n' },
    ),
    ended(
      405,
      'a body that is sent all the same',
      '9110 §10.1.1',
      `${post('Expect: 100-continue', 'Content-Length: 5')}hello`,
    ),
    ended(
      200,
      'a GET whose body is sent',
      '9110 §10.1.1',
      `${get('Expect: 100-continue', 'Content-Length: 5')}hello`,
      {
        body: 'alpha\n',
      },
    ),
    ended(
      405,
      'a body in chunks',
      '9110 §10.1.1',
      `${post('Expect: 100-continue', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ),
    ended(
      405,
      'a body that is awaited and is a request',
      '9110 §10.1.1',
      post('Expect: 100-continue', 'Content-Length: 60'),
    ),
    ...Object.entries({
      'an unknown expectation': 'miracles',
      'an extension': 'token=param',
      '100-continue with a parameter': '100-continue;q=1',
      '100-continue with a value': '100-continue=yes',
      '100-continue and another': '100-continue, miracles',
      'another and 100-continue': 'miracles, 100-continue',
      '100-continue in quotes': '"100-continue"',
      '100 alone': '100',
      '200-ok': '200-ok',
    }).map(([name, value]) => ended(417, name, '9110 §15.5.18', get(`Expect: ${value}`))),
    ended(
      417,
      'an unknown expectation with a body',
      '9110 §15.5.18',
      `${post('Expect: x', 'Content-Length: 5')}hello`,
    ),
    ended(
      200,
      'HTTP/1.0 expects nothing',
      '9110 §10.1.1',
      head('GET /a.txt HTTP/1.0', 'Host: test', 'Expect: 100-continue'),
      { ...ignored, body: 'alpha\n' },
    ),
    ended(
      405,
      'HTTP/1.0 with a body expects nothing',
      '9110 §10.1.1',
      `${head('POST /a.txt HTTP/1.0', 'Host: test', 'Expect: 100-continue', 'Content-Length: 5')}hello`,
      ignored,
    ),
  ],
}
