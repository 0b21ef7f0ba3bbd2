// SPDX-License-Identifier: MIT
import { ended, get, head, must, must4xx, mustEnd, served } from './row.mjs'

const between = (text) => `GET /a.txt HTTP/1.1\r\nHost: test\r\n${text}\r\n`

/* RFC 9112 section 5.1: no whitespace before the colon; a server has no choice but 400. */
const beforeColon = {
  'a space before the colon': get('X : y'),
  'a tab before the colon': get('X\t: y'),
  'many spaces before the colon': get('X     : y'),
  'a space in a name': get('X Y: z'),
  'a space before the colon of Host': head('GET /a.txt HTTP/1.1', 'Host : test'),
  'a tab before the colon of Host': head('GET /a.txt HTTP/1.1', 'Host\t: test'),
  'a space before the colon of Content-Length': `${get('Content-Length : 5')}hello`,
  'a space before the colon of Transfer-Encoding': `${get('Transfer-Encoding : chunked')}0\r\n\r\n`,
  'a tab before the colon of Transfer-Encoding': `${get('Transfer-Encoding\t: chunked')}0\r\n\r\n`,
  'a space before the colon of Connection': get('Connection : close'),
}

/* Section 5.2: 400, or the fold becomes spaces. Ours is 400. */
const folds = {
  'a line folded with a space': between('X: a\r\n b\r\n'),
  'a line folded with a tab': between('X: a\r\n\tb\r\n'),
  'a line folded twice': between('X: a\r\n b\r\n c\r\n'),
  'a fold behind an empty value': between('X:\r\n b\r\n'),
  'a fold of nothing but spaces': between('X: a\r\n    \r\n'),
  'a folded Host': 'GET /a.txt HTTP/1.1\r\nHost:\r\n test\r\n\r\n',
  'a folded Connection': between('Connection:\r\n close\r\n'),
  'a fold in a list': between('Connection: x,\r\n close\r\n'),
}

const names = [...'"(),/;<=>?@[\\]{}'].map((c) => [c, `X${c}Y: z`])
const controls = [0x01, 0x07, 0x08, 0x0b, 0x0c, 0x0e, 0x1b, 0x1f, 0x7f]
const hex = (code) => `0x${code.toString(16).padStart(2, '0')}`

const notLines = {
  'a line without a colon': get('Foo'),
  'a line without a colon, with a value': get('Content-Length 5'),
  'an equals sign for the colon': get('X=y'),
  'an empty name': get(': x'),
  'a colon alone': get(':'),
  'a colon before the name': get(':foo: x'),
  'a name broken over lines': get('Transfer-', 'Encoding: chunked'),
  'a name on its own, its colon on the next line': between('name\r\n : value\r\n'),
  'a request line among the fields': get('GET /b.txt HTTP/1.1'),
}

const lineEnds = {
  'a field ended by a bare line feed': between('X: x\n'),
  'a field ended by a bare line feed before another': between(
    'X: x\nTransfer-Encoding: chunked\r\n',
  ),
  'an empty field ended by a bare line feed': between('X:\nTransfer-Encoding: chunked\r\n'),
  'a head ended by a bare line feed': 'GET /a.txt HTTP/1.1\r\nHost: test\r\n\n',
  'Host ended by a bare line feed': 'GET /a.txt HTTP/1.1\r\nHost: test\n\r\n',
  'a line feed in a value of Content-Length': between('Content-Length: 1\n0\r\n'),
}

/* Section 2.2: a bare CR makes the element invalid or becomes a space. Ours is 400. */
const bareCr = {
  'a field ended by a bare carriage return': between('X: 1\rY: 2\r\n'),
  'a bare carriage return before Transfer-Encoding': between(
    'X: x\rTransfer-Encoding: chunked\r\n',
  ),
  'an empty field ended by a bare carriage return': between('X:\rTransfer-Encoding: chunked\r\n'),
  'a bare carriage return in a value': between('X: va\rlue\r\n'),
  'a bare carriage return before the end of the line': between('X: value\r\r\n'),
  'a bare carriage return where the head ends': between('\rZGET /evil: HTTP/1.1\r\nHost: a\r\n'),
}

const overLimit = {
  'one value of 70,000 bytes': get(`X: ${'x'.repeat(70_000)}`),
  'a thousand fields of 100 bytes': get(
    ...Array.from({ length: 1000 }, () => `X: ${'y'.repeat(97)}`),
  ),
  'a name of 70,000 bytes': get(`${'X'.repeat(70_000)}: y`),
  '70,000 spaces before a value': get(`X:${' '.repeat(70_000)}y`),
  'a cookie of 70,000 bytes': get(`Cookie: a=${'b'.repeat(70_000)}`),
}

export const fields = {
  title: 'fields',
  sources: [
    'llhttp',
    'lighttpd',
    'nginx-tests',
    'picohttpparser',
    'h2o',
    'http-garden',
    'Http11Probe',
  ],
  rows: [
    ...Object.entries(beforeColon).map(([name, send]) =>
      ended(400, name, '9112 §5.1', send, must(400)),
    ),
    ...Object.entries(folds).map(([name, send]) =>
      ended(400, name, '9112 §5.2', send, must(400, 200)),
    ),
    ended(
      400,
      'a space before the first field, which is Host',
      '9112 §2.2',
      'GET /a.txt HTTP/1.1\r\n Host: test\r\n\r\n',
      must(400),
    ),
    ended(
      400,
      'a tab before the first field, which is Host',
      '9112 §2.2',
      'GET /a.txt HTTP/1.1\r\n\tHost: test\r\n\r\n',
      must(400),
    ),
    ended(
      400,
      'a line of spaces before the first field',
      '9112 §2.2',
      'GET /a.txt HTTP/1.1\r\n   \r\nHost: test\r\n\r\n',
      must(400, 200),
    ),
    ended(
      400,
      'a Content-Length behind a space before the first field',
      '9112 §2.2',
      'GET /a.txt HTTP/1.1\r\n Content-Length: 5\r\nHost: test\r\n\r\n',
      must(400, 200),
    ),

    ...names.map(([c, field]) => ended(400, `a name with ${c}`, '9110 §5.1', get(field))),
    ...controls.map((code) =>
      ended(400, `a name with ${hex(code)}`, '9110 §5.1', get(`X${String.fromCharCode(code)}Y: z`)),
    ),
    ended(400, 'a name with NUL', '9110 §5.1', get('X\0Y: z')),
    ended(400, 'a name that begins with NUL', '9110 §5.1', get('\0X: z')),
    ...['\x80', '\x85', '\xa0', '\xef', '\xff'].map((c) =>
      ended(400, `a name with ${hex(c.charCodeAt(0))}`, '9110 §5.1', get(`X${c}: z`)),
    ),
    ended(400, 'a name in UTF-8', '9110 §5.1', get('Gr\xc3\xb6\xc3\x9fe: z')),
    ...Object.entries(notLines).map(([name, send]) => ended(400, name, '9112 §5', send)),

    ...controls.map((code) =>
      ended(
        400,
        `a value with ${hex(code)}`,
        '9110 §5.5',
        get(`X: a${String.fromCharCode(code)}b`),
      ),
    ),
    /* A parser may look at several bytes at a time: the odd one out, at each place of eight. */
    ...Array.from({ length: 8 }, (_, i) => [
      ended(
        400,
        `0x1f as byte ${i} of eight`,
        '9110 §5.5',
        get(`X: ${'a'.repeat(16 + i)}\x1f${'a'.repeat(16)}`),
      ),
      ended(
        400,
        `DEL as byte ${i} of eight, among bytes above ASCII`,
        '9110 §5.5',
        get(`X: ${'\xff'.repeat(16 + i)}\x7f${'\x80'.repeat(16)}`),
      ),
      ended(
        400,
        `a bare line feed as byte ${i} of eight, among spaces`,
        '9112 §2.2',
        get(`X: a${' '.repeat(16 + i)}\n${' '.repeat(16)}b`),
      ),
    ]).flat(),
    ended(400, 'a value with NUL', '9110 §5.5', get('X: a\0b'), must(400, 200)),
    ended(400, 'a value that ends in NUL', '9110 §5.5', get('X: a\0'), must(400, 200)),
    ended(
      400,
      'Host with NUL',
      '9110 §5.5',
      head('GET /a.txt HTTP/1.1', 'Host: te\0st'),
      must(400),
    ),
    ended(
      400,
      'Host with a bare carriage return',
      '9112 §2.2',
      head('GET /a.txt HTTP/1.1', 'Host: te\rst'),
      must(400),
    ),
    ended(
      400,
      'Content-Length with NUL between its digits',
      '9110 §5.5',
      get('Content-Length: 1\x000'),
      mustEnd(400),
    ),
    ended(400, 'Connection with a control character', '9110 §5.5', get('Connection: cl\x1bose')),
    ...Object.entries(lineEnds).map(([name, send]) => ended(400, name, '9112 §2.2', send)),
    ...Object.entries(bareCr).map(([name, send]) =>
      ended(400, name, '9112 §2.2', send, must(400, 200)),
    ),

    served('no space behind the colon', '9112 §5', head('GET /a.txt HTTP/1.1', 'Host:test')),
    served(
      'spaces and tabs around a value',
      '9112 §5',
      head('GET /a.txt HTTP/1.1', 'Host: \t test \t '),
    ),
    served('an empty value', '9110 §5.5', get('X:')),
    served('a value of nothing but spaces', '9110 §5.5', get('X:     ')),
    served('a tab in a value', '9110 §5.5', get('X: a\tb')),
    served('colons in a value', '9110 §5.5', get('X: a:b::c')),
    served('Latin-1 in a value', '9110 §5.5', get('X: D\xfcsseldorf')),
    served('UTF-8 in a value', '9110 §5.5', get('X: \xe3\x81\xb2\xe3')),
    served('0x80 and 0xff in a value', '9110 §5.5', get('X: \x80\xff')),
    served('a name of all that may be in a token', '9110 §5.1', get("!#$%&'*+-.^_`|~09azAZ: x")),
    served('names in any case', '9110 §5.1', head('GET /a.txt HTTP/1.1', 'hOsT: test')),
    served(
      'Host behind the other fields',
      '9110 §5.3',
      head('GET /a.txt HTTP/1.1', 'X: y', 'Host: test'),
    ),
    served('a field that comes often', '9110 §5.3', get('X: 1', 'X: 2', 'X: 3')),
    served('two of a field we only log', '9110 §5.3', get('User-Agent: a', 'User-Agent: b')),
    served(
      'names that only resemble',
      '9110 §5.1',
      get('If-None-Match2: *', 'X-If-Match: "x"', 'Hos: x'),
    ),
    served(
      'a hundred fields',
      '9110 §5.4',
      get(...Array.from({ length: 100 }, (_, i) => `X-${i}: y`)),
    ),
    served('a value of 8,000 bytes', '9110 §5.4', get(`X: ${'x'.repeat(8000)}`)),
    served('a head as long as it may be', '9110 §5.4', get(`X: ${'x'.repeat(16384 - 40)}`)),
    ended(431, 'a head one byte longer', '6585 §5', get(`X: ${'x'.repeat(16385 - 40)}`)),
    ended(
      431,
      'a field that never ends',
      '6585 §5',
      `GET /a.txt HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`,
    ),
    ...Object.entries(overLimit).map(([name, send]) =>
      ended(431, name, '9110 §5.4', send, must4xx),
    ),

    ...['If-Range', 'Range'].map((name) =>
      ended(400, `two of ${name}`, '9110 §5.3', get(`${name}: a`, `${name}: b`)),
    ),
  ],
}
