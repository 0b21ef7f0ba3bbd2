// SPDX-License-Identifier: MIT
// RFC 9112 section 9: who keeps the connection, who ends it, and requests one behind the other.

import { answered, asked, ended, get, getOf, head, must, mustAll, mustEnd, served } from './row.mjs'

const old = (...lines) => head('GET /a.txt HTTP/1.0', 'Host: test', ...lines)
const alpha = { status: 200, body: 'alpha\n' }
const keeps = { ...alpha, headers: { connection: 'keep-alive' } }

/** Several requests in one go, each answered in its turn. */
const pipelined = (name, send, responses, more = {}) => ({
  name,
  rfc: '9112 §9.3.2',
  send,
  responses,
  connection: 'kept',
  must: false,
  ...more,
})

/** The client sends this and its end of the connection; no probe follows. */
const hungUp = (name, send, responses, more = {}) => ({
  name: `the client ends: ${name}`,
  rfc: '9112 §8',
  send,
  responses,
  hangsUp: true,
  connection: 'closed',
  must: false,
  ...more,
})

/* The client goes on behind the request that ends it. What comes late may be met by a reset, which
 * takes the answer away (section 9.6), so this is sent in one piece. */
const goesOn = { inOnePiece: true }

const closing = {
  close: 'close',
  'close in capitals': 'CLOSE',
  'close in odd case': 'cLoSe',
  'close and a tab behind it': 'close\t',
  'close behind keep-alive': 'keep-alive, close',
  'close before keep-alive': 'close, keep-alive',
  'close among others': 'close, token, upgrade, token, keep-alive',
  'close in the middle': 'TE, close, Upgrade',
  'close behind a comma': ',close',
  'close before a comma': 'close,',
  'close before a comma and a space': 'close, ',
  'close before two commas': 'close,,TE',
  'close before commas and spaces': 'close, ,TE',
  'close between spaces': '   close   ',
  'close without spaces in the list': 'a,close,b',
}

const notClosing = {
  'keep-alive': 'keep-alive',
  'keep-alive in capitals': 'KEEP-ALIVE',
  'a word that begins with close': 'closed',
  'a word that ends in close': 'x-close',
  'close with a parameter': 'close;q=1',
  'close in quotes': '"close"',
  'two words': 'close keep-alive',
  nothing: '',
  'a comma': ',',
  'other fields': 'TE, Host, X',
}

export const connection = {
  title: 'connection',
  sources: ['llhttp', 'lighttpd', 'nginx-tests', 'h2o', 'http-garden', 'Http11Probe'],
  rows: [
    served('HTTP/1.1 goes on by itself', '9112 §9.3', get(), { headers: { connection: null } }),
    ...Object.entries(closing).map(([name, value]) =>
      ended(200, name, '9112 §9.6', get(`Connection: ${value}`), {
        ...mustEnd(200),
        body: 'alpha\n',
      }),
    ),
    ended(
      200,
      'close in a second line',
      '9112 §9.6',
      get('Connection: x', 'Connection: close'),
      mustEnd(200),
    ),
    ended(
      200,
      'close in the first of two lines',
      '9112 §9.6',
      get('Connection: close', 'Connection: keep-alive'),
      mustEnd(200),
    ),
    ended(
      404,
      'close and a file that is not there',
      '9112 §9.6',
      getOf('/nope', 'Connection: close'),
      mustEnd(404),
    ),
    ended(
      304,
      'close and not modified',
      '9112 §9.6',
      get('If-None-Match: *', 'Connection: close'),
      mustEnd(304),
    ),
    ended(
      200,
      'close and a body',
      '9112 §9.6',
      `${get('Connection: close', 'Content-Length: 4')}q=42`,
      mustEnd(),
    ),
    ended(
      405,
      'close and a POST',
      '9112 §9.6',
      asked('POST', 'Connection: close', 'Content-Length: 0'),
    ),
    ended(501, 'close and an unknown method', '9112 §9.6', asked('BREW', 'Connection: close')),
    ended(
      200,
      'close and the request behind it',
      '9112 §9.6',
      `${get('Connection: close')}${getOf('/numbers.txt')}`,
      {
        ...mustEnd(200),
        ...goesOn,
        body: 'alpha\n',
      },
    ),
    ended(
      200,
      'close and rubbish behind it',
      '9112 §9.6',
      `${get('Connection: close')}rubbish\r\n\r\n`,
      { ...mustEnd(200), ...goesOn },
    ),
    ...Object.entries(notClosing).map(([name, value]) =>
      served(`not close: ${name}`, '9110 §7.6.1', get(`Connection: ${value}`)),
    ),
    served('Proxy-Connection is no field of ours', '9112 §C.2.2', get('Proxy-Connection: close')),
    served('Keep-Alive says nothing to us', '9112 §9.3', get('Keep-Alive: timeout=0, max=1')),
    served(
      'Upgrade to HTTP/2 is declined',
      '9110 §7.8',
      get(
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQAAP__',
      ),
    ),
    served(
      'Upgrade to WebSocket is declined',
      '9110 §7.8',
      get(
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ),
    ),
    served(
      'Upgrade with a body is declined, the body skipped',
      '9110 §7.8',
      `${get('Connection: upgrade', 'Upgrade: ws', 'Content-Length: 4')}abcd`,
    ),

    ended(
      200,
      'Upgrade means nothing in HTTP/1.0',
      '9110 §7.8',
      old('Connection: Upgrade', 'Upgrade: websocket'),
      must(200),
    ),
    ended(200, 'HTTP/1.0 ends by itself', '9112 §9.3', old(), { body: 'alpha\n' }),
    ended(200, 'HTTP/1.0 that says close', '9112 §9.3', old('Connection: close')),
    ended(
      200,
      'HTTP/1.0 that says both',
      '9112 §9.6',
      old('Connection: keep-alive, close'),
      mustEnd(200),
    ),
    ended(200, 'HTTP/1.0 and Keep-Alive alone', '9112 §9.3', old('Keep-Alive: 300')),
    ended(200, 'HTTP/1.0 and another option', '9112 §9.3', old('Connection: TE')),
    served('HTTP/1.0 that says keep-alive', '9112 §9.3', old('Connection: keep-alive'), keeps),
    served('HTTP/1.0 that says it in capitals', '9112 §9.3', old('Connection: Keep-Alive'), keeps),
    served(
      'HTTP/1.0 that says it in a list',
      '9112 §9.3',
      old('Connection: TE, keep-alive'),
      keeps,
    ),
    ended(404, 'HTTP/1.0 of what is not there', '9112 §9.3', head('GET /nope HTTP/1.0')),

    pipelined('two', get() + getOf('/numbers.txt'), [alpha, { status: 200 }], mustAll),
    pipelined('ten', get().repeat(10), Array(10).fill(alpha), mustAll),
    pipelined('a hundred', get().repeat(100), Array(100).fill(alpha)),
    pipelined(
      'small, large, missing, empty, in their order',
      get() + getOf('/large.bin') + getOf('/nope') + getOf('/empty.txt') + get(),
      [alpha, { status: 200 }, { status: 404 }, { status: 200, body: '' }, alpha],
      mustAll,
    ),
    pipelined(
      'HEAD before GET',
      asked('HEAD') + get(),
      [{ status: 200, isHead: true, body: '' }, alpha],
      mustAll,
    ),
    pipelined(
      'OPTIONS, an unknown method, POST, GET',
      asked('OPTIONS') + asked('BREW') + asked('POST', 'Content-Length: 0') + get(),
      [{ status: 204 }, { status: 501 }, { status: 405 }, alpha],
    ),
    pipelined(
      'a body before each of three',
      `${asked('POST', 'Content-Length: 3')}AAA${asked('PUT', 'Content-Length: 4')}BBBB${asked('PATCH', 'Content-Length: 5')}CCCCC`,
      [{ status: 405 }, { status: 405 }, { status: 405 }],
    ),
    pipelined('an empty line between two', `${get()}\r\n${get()}`, [alpha, alpha]),
    pipelined('an empty line behind a body', `${get('Content-Length: 4')}q=42\r\n${get()}`, [
      alpha,
      alpha,
    ]),
    pipelined(
      'not modified, a range and a whole',
      get('If-None-Match: *') + get('Range: bytes=1-2') + get(),
      [{ status: 304 }, { status: 206, body: 'lp' }, alpha],
    ),
    pipelined('a path that is refused does not end it', getOf('/%00') + get(), [
      { status: 400 },
      alpha,
    ]),
    pipelined('HTTP/1.0 that goes on, then HTTP/1.1', old('Connection: keep-alive') + get(), [
      keeps,
      alpha,
    ]),
    pipelined('one limit for each head', get(`X: ${'x'.repeat(10_000)}`).repeat(3), [
      alpha,
      alpha,
      alpha,
    ]),
    pipelined('two empty lines between two', `${get()}\r\n\r\n${get()}`, [alpha, { status: 400 }], {
      connection: 'closed',
    }),
    pipelined('rubbish behind one', `${get()}rubbish\r\n\r\n`, [alpha, { status: 400 }], {
      connection: 'closed',
    }),
    pipelined('a bare line feed between two', `${get()}\n${get()}`, [alpha, { status: 400 }], {
      connection: 'closed',
    }),
    pipelined(
      'close in the second of three',
      get() + get('Connection: close') + get(),
      [alpha, alpha],
      {
        connection: 'closed',
        ...mustEnd(200),
        ...goesOn,
      },
    ),
    pipelined('HTTP/1.0 in the second of three', get() + old() + get(), [alpha, alpha], {
      connection: 'closed',
      ...goesOn,
    }),
    pipelined(
      'a refusal in the second of three',
      get() + head('GET /a.txt HTTP/1.1') + get(),
      [alpha, { status: 400 }],
      { connection: 'closed' },
    ),
    pipelined(
      'a body one byte longer than it said',
      `${get('Content-Length: 4')}q=42X\r\n\r\n`,
      [alpha, { status: 400 }],
      { connection: 'closed' },
    ),
    hungUp('at once', '', []),
    hungUp('behind an empty line', '\r\n', []),
    hungUp('in the method', 'GE', []),
    hungUp('behind the method', 'GET ', []),
    hungUp('in the target', 'GET /a.t', []),
    hungUp('in the version', 'GET /a.txt HTTP/1.', []),
    hungUp('behind the version', 'GET /a.txt HTTP/1.1', []),
    hungUp('before the last byte of the request line', 'GET /a.txt HTTP/1.1\r', []),
    hungUp('behind the request line', 'GET /a.txt HTTP/1.1\r\n', []),
    hungUp('in the name of a field', 'GET /a.txt HTTP/1.1\r\nHo', []),
    hungUp('in a value', 'GET /a.txt HTTP/1.1\r\nHost: te', []),
    hungUp('before the empty line', 'GET /a.txt HTTP/1.1\r\nHost: test\r\n', []),
    hungUp('before the last byte of the head', 'GET /a.txt HTTP/1.1\r\nHost: test\r\n\r', []),
    hungUp('behind the head', get(), [alpha]),
    hungUp('behind a large answer asked for', getOf('/large.bin'), [{ status: 200 }]),
    hungUp('behind two requests', get() + get(), [alpha, alpha]),
    hungUp('in the second request', `${get()}GET /a.txt`, [alpha]),
    hungUp('behind a body', `${get('Content-Length: 4')}q=42`, [alpha]),
    hungUp('in a body', `${asked('POST', 'Content-Length: 100')}q=42`, [{ status: 405 }]),
    hungUp('before a body', asked('POST', 'Content-Length: 100'), [{ status: 405 }]),
    hungUp('in a chunk', `${asked('POST', 'Transfer-Encoding: chunked')}a\r\nhel`, [
      { status: 405 },
    ]),
    hungUp(
      'before a body it wanted to be asked for',
      asked('POST', 'Expect: 100-continue', 'Content-Length: 9'),
      [{ status: 405 }],
    ),
    answered(200, 'a body that a probe looks like', '9112 §6.3', get('Content-Length: 0'), {
      body: 'alpha\n',
    }),
  ],
}
