// SPDX-License-Identifier: MIT
// Where a request ends. Every row that is refused also shows that the bytes behind it are not read
// as a request; every row that is served shows that its body is not.

import { answered, asked, ended, get, head, must, mustEnd, mustFrame, served } from './row.mjs'

const SMUGGLED = 'GET /numbers.txt HTTP/1.1\r\nHost: test\r\n\r\n'
const withLength = (value, body = '') => `${get(`Content-Length: ${value}`)}${body}`
const withCoding = (value, body = '0\r\n\r\n') => `${get(`Transfer-Encoding: ${value}`)}${body}`
/* RFC 9112 section 9.3: read the whole body or end the connection. */
const framed = (row) => ({ ...row, ...mustFrame })

const inChunks = (body) => withCoding('chunked', body)
const first10 = (lines, body) => `GET /a.txt HTTP/1.0\r\n${lines.join('\r\n')}\r\n\r\n${body}`

/* RFC 9110 section 8.6: digits, nothing else. RFC 9112 section 6.3: 400 and the end. */
const notLengths = {
  'an empty Content-Length': '',
  'a Content-Length of spaces': '   ',
  'a negative Content-Length': '-5',
  'Content-Length: -0': '-0',
  'Content-Length: -1': '-1',
  'a plus sign': '+5',
  'a plus sign and an underscore': '+1_0',
  'an underscore': '1_0',
  'a space between digits': '5 5',
  'a tab between digits': '5\t5',
  'a letter behind the digits': '5a',
  'a letter before the digits': 'a5',
  'a word': 'five',
  hexadecimal: '0x5',
  'hexadecimal without 0x': 'ff',
  'octal as some write it': '0o5',
  'binary as some write it': '0b101',
  'a fraction': '5.0',
  'an exponent': '5e0',
  'a quoted number': '"5"',
  'a semicolon behind it': '5;',
  'a parameter behind it': '5;q=1',
  'two different numbers in a list': '5, 6',
  'three numbers in a list, one different': '5, 5, 6',
  'zero and another in a list': '0,5',
  'Arabic digits in UTF-8': '\xd9\xa5',
  'a no-break space before it': '\xa05',
  'a no-break space behind it': '5\xa0',
  'a brace': '{5}',
  'not a number': 'NaN',
  infinity: 'Infinity',
  'a minus sign of UTF-8': '\xe2\x88\x925',
}

const controlInLength = [0x01, 0x08, 0x0b, 0x0c, 0x1f, 0x7f]

/* RFC 9112 section 6.3: chunked is not the last coding, so the length is anyone's guess: 400. */
const notFinal = {
  identity: 'identity',
  gzip: 'gzip',
  'x-gzip': 'x-gzip',
  deflate: 'deflate',
  compress: 'compress',
  'gzip, then identity': 'gzip, identity',
  'chunked before another coding': 'chunked, gzip',
  'chunked before identity': 'chunked, identity',
  'chunked before an unknown coding': 'chunked, cow',
}

/* What these do to a body nobody knows, and section 6.1 wants a 501 for them. Judged by the
 * letter, section 6.3 has a MUST for them too; so either will do. */
const unknown = {
  'an unknown coding': 'cow',
  xchunked: 'xchunked',
  chunkedx: 'chunkedx',
  chunked1: 'chunked1',
  'chunked with the end missing': 'chunke',
  chunk: 'chunk',
  'chunked twice in one word': 'chunkedchunked',
  'chunked in apostrophes': "'chunked'",
  'chunked with a dot behind it': 'chunked.',
  trailers: 'trailers',
}

/* Not what RFC 9112 section 7 calls a list of codings. */
const notCodings = {
  'chunked with a slash': 'chunked/1',
  'chunked in quotes': '"chunked"',
  'an empty Transfer-Encoding': '',
  'Transfer-Encoding of commas': ',,',
  'words without commas': 'cow chunked bar',
  'chunked twice without a comma': 'chunked chunked',
  'a space in chunked': 'chun ked',
  'chunked with an equals sign': 'chunked=1',
  'chunked with a colon': 'chunked:',
  'chunked in brackets': '[chunked]',
  'a no-break space before chunked': '\xa0chunked',
  'a no-break space behind chunked': 'chunked\xa0',
  '0x85 around chunked': '\x85chunked\x85',
  '0xff before chunked': '\xffchunked',
  'a letter of Latin-1 in chunked': 'ch\x96nked',
  'a letter of UTF-8 in chunked': '\xc4\x8dhunked',
}

/* Names that must not be taken for Transfer-Encoding, and are no names either. */
const notNames = {
  'a space for the hyphen': 'Transfer Encoding',
  'a carriage return in the name': 'Transfer\r-Encoding',
  '0x85 behind the name': 'Transfer-Encoding\x85',
  '0xa0 behind the name': 'Transfer-Encoding\xa0',
  '0xff before the name': '\xffTransfer-Encoding',
  'a vertical tab behind the name': 'Transfer-Encoding\v',
  'a vertical tab before the name': '\vTransfer-Encoding',
  'a form feed behind the name': 'Transfer-Encoding\f',
  'NUL behind the name': 'Transfer-Encoding\0',
  'DEL behind the name': 'Transfer-Encoding\x7f',
  'a letter of Latin-1 in the name': 'Transf\x82r-Encoding',
  'a comma behind the name': 'Transfer-Encoding,',
  'a semicolon before the name': ';Transfer-Encoding',
}

const contradictions = {
  'Content-Length, then chunked': ['Content-Length: 5', 'Transfer-Encoding: chunked'],
  'chunked, then Content-Length': ['Transfer-Encoding: chunked', 'Content-Length: 5'],
  'Content-Length of 0 and chunked': ['Content-Length: 0', 'Transfer-Encoding: chunked'],
  'Content-Length that fits and chunked': [
    'Content-Length: 5',
    'X: y',
    'Transfer-Encoding: chunked',
  ],
  'names and values in odd case': ['cONTENT-lENGTH: 5', 'tRANSFER-eNCODING: CHUNKED'],
  'chunked behind a tab': ['Content-Length: 5', 'Transfer-Encoding:\tchunked'],
  'chunked and spaces behind it': ['Content-Length: 5', 'Transfer-Encoding: chunked  '],
  'a large Content-Length': ['Content-Length: 99999999999', 'Transfer-Encoding: chunked'],
  'with Connection: keep-alive': [
    'Connection: keep-alive',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
  ],
}

const oddAndLength = {
  'identity and Content-Length': ['identity', 400],
  'chunked before gzip and Content-Length': ['chunked, gzip', 400],
  'an empty Transfer-Encoding and Content-Length': ['', 400],
  'xchunked and Content-Length': ['xchunked', 501],
  'a list that begins empty and Content-Length': [', chunked', 501],
  'gzip before chunked and Content-Length': ['gzip, chunked', 501],
}

const twice = {
  'chunked twice': ['chunked', 'chunked'],
  'chunked, then identity': ['chunked', 'identity'],
  'identity, then chunked': ['identity', 'chunked'],
  'chunked, then an unknown coding': ['chunked', 'cow'],
  'chunked, then an empty one': ['chunked', ''],
  'three empty ones': ['', '', ''],
}

/* What follows "chunked": our answer doesn't wait for it, and the connection is not used again. */
const chunks = {
  'no chunk but the last': '0\r\n\r\n',
  'one chunk': '5\r\nhello\r\n0\r\n\r\n',
  'two chunks': '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n',
  'a size in capitals': 'A\r\n0123456789\r\n0\r\n\r\n',
  'a size with zeros in front': '0005\r\nhello\r\n000\r\n\r\n',
  'an extension': '5;a=b\r\nhello\r\n0\r\n\r\n',
  'a quoted extension': '5;a="b;\\"c"\r\nhello\r\n0;x\r\n\r\n',
  'a trailer': '5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n',
  'a trailer that would be framing': '0\r\nContent-Length: 40\r\n\r\n',
  'a request inside a chunk': `2a\r\n${SMUGGLED}\r\n0\r\n\r\n`,
}

/* Some of these other servers must take for errors; here they are not even looked at. */
const oddChunks = {
  'a request behind the last chunk': `0\r\n\r\n${SMUGGLED}`,
  'a size with an underscore': `0_2e\r\n\r\n${SMUGGLED}0\r\n\r\n`,
  'a size with 0x': '0x5\r\nhello\r\n0\r\n\r\n',
  'a size with a plus sign': '+5\r\nhello\r\n0\r\n\r\n',
  'a negative size': '-1\r\nhello\r\n0\r\n\r\n',
  'an empty size': `\r\n\r\n${SMUGGLED}`,
  'a size beyond 64 bits': 'ffffffffffffffff1\r\nhello\r\n0\r\n\r\n',
  'a size of 2^64 - 1': `ffffffffffffffff\r\n${SMUGGLED}`,
  'a size that is no number': `INVALID!\r\n${SMUGGLED}`,
  'a space before a size': ' 5\r\nhello\r\n0\r\n\r\n',
  'a space behind a size': '5 \r\nhello\r\n0\r\n\r\n',
  'a size ended by a bare line feed': '5\nhello\n0\n\n',
  'a size ended by two carriage returns': `5\r\r;ABCD\r\n34\r\nE\r\n0\r\n\r\n${SMUGGLED}`,
  'a carriage return in an extension': '5;a=b\r\rX\r\nhello\r\n0\r\n\r\n',
  'a line feed in an extension': '5;\nx\r\nhello\r\n0\r\n\r\n',
  'more bytes than the size says': `4\r\nSEE-THIS\r\n0\r\n\r\n${SMUGGLED}`,
  'fewer bytes than the size says': '9\r\nhello\r\n0\r\n\r\n',
  'no line end behind the bytes': `5\r\nhello0\r\n\r\n${SMUGGLED}`,
  'no last chunk': '3\r\nfoo\r\n',
  'a last chunk ended by two other bytes': '0\r\nX:GET /numbers.txt HTTP/1.1\r\n\r\n',
}

export const framing = {
  title: 'framing',
  sources: [
    'llhttp',
    'lighttpd',
    'nginx-tests',
    'http-garden',
    'Http11Probe',
    'PortSwigger',
    'smuggler',
  ],
  rows: [
    /* Content-Length */
    ...[
      served('a body is skipped', '9112 §6.3', withLength(5, 'hello')),
      served(
        'a request in a body is not one',
        '9112 §6.3',
        withLength(SMUGGLED.length, SMUGGLED),
        mustFrame,
      ),
      served('Content-Length: 0', '9110 §8.6', withLength(0)),
      served(
        'zeros in front: decimal, not octal',
        '9110 §8.6',
        withLength('010', '0123456789'),
        mustFrame,
      ),
      served('many zeros in front', '9110 §8.6', withLength('000000000005', 'hello')),
      served('spaces and tabs around it', '9112 §5.1', withLength(' \t 5 \t ', 'hello')),
      served('its name in any case', '9110 §5.1', `${get('conTENT-Length: 5')}hello`),
      served('a body that looks like chunks', '9112 §6.3', withLength(5, '0\r\n\r\n')),
      served('a body of line ends', '9112 §6.3', withLength(6, '\r\n\r\n\r\n')),
      served('a body of NULs', '9112 §6.3', withLength(5, '\0\0\0\0\0')),
      answered(
        405,
        'the body of a POST is skipped',
        '9112 §6.3',
        `${asked('POST', 'Content-Length: 5')}hello`,
      ),
      answered(
        405,
        'a request in the body of a POST is not one',
        '9112 §6.3',
        `${asked('POST', `Content-Length: ${SMUGGLED.length}`)}${SMUGGLED}`,
      ),
      answered(
        200,
        'a request in the body of a HEAD is not one',
        '9112 §6.3',
        `${asked('HEAD', `Content-Length: ${SMUGGLED.length}`)}${SMUGGLED}`,
        { ...mustFrame, body: '' },
      ),
      answered(
        204,
        'a request in the body of an OPTIONS is not one',
        '9112 §6.3',
        `${asked('OPTIONS', `Content-Length: ${SMUGGLED.length}`)}${SMUGGLED}`,
      ),
      answered(
        404,
        'the body of what is not found is skipped',
        '9112 §6.3',
        `${head('GET /nope HTTP/1.1', 'Host: test', `Content-Length: ${SMUGGLED.length}`)}${SMUGGLED}`,
      ),
      answered(
        304,
        'the body of what is not modified is skipped',
        '9112 §6.3',
        `${get('If-None-Match: *', `Content-Length: ${SMUGGLED.length}`)}${SMUGGLED}`,
      ),
      answered(405, 'a POST without a length has no body', '9112 §6.3', asked('POST')),
    ].map(framed),
    ended(
      200,
      'a body longer than we care to skip',
      '9112 §9.3',
      withLength('4294967301', 'hello'),
      {
        body: 'alpha\n',
      },
    ),
    ended(200, 'a length of 18 digits', '9110 §8.6', withLength('999999999999999999', 'hello')),
    ended(400, 'a length of 2^64 + 5', '9110 §8.6', withLength('18446744073709551621', 'hello')),
    ended(400, 'a length of 30 digits', '9110 §8.6', withLength('9'.repeat(30), 'hello')),
    ...Object.entries(notLengths).map(([name, value]) =>
      ended(400, name, '9112 §6.3', withLength(value, 'hello'), mustEnd(400)),
    ),
    ...controlInLength.map((code) =>
      ended(
        400,
        `Content-Length with 0x${code.toString(16)}`,
        '9112 §6.3',
        withLength(`${String.fromCharCode(code)}5`, 'hello'),
        mustEnd(400),
      ),
    ),
    ended(400, 'the same number twice in a list', '9112 §6.3', withLength('5, 5', 'hello')),
    ended(400, 'a list that ends in a comma', '9112 §6.3', withLength('5,', 'hello')),
    ended(400, 'a list that begins with a comma', '9112 §6.3', withLength(',5', 'hello')),
    ended(
      400,
      'two Content-Lengths that agree',
      '9112 §6.3',
      `${get('Content-Length: 5', 'Content-Length: 5')}hello`,
    ),
    ...[
      ['5', '6'],
      ['6', '5'],
      ['0', '42'],
      ['42', '0'],
      ['', '42'],
      ['42', ''],
      ['5', '5a'],
    ].map(([a, b]) =>
      ended(
        400,
        `Content-Length "${a}", then "${b}"`,
        '9112 §6.3',
        `${get(`Content-Length: ${a}`, `Content-Length: ${b}`)}${SMUGGLED}`,
        mustEnd(400),
      ),
    ),
    ended(
      400,
      'two Content-Lengths with other fields between them',
      '9112 §6.3',
      `${get('Content-Length: 5', 'X: y', 'content-length: 6')}hello`,
      mustEnd(400),
    ),
    served('Content_Length is another field', '9110 §5.1', get('Content_Length: 40')),
    served('Content-Lengths is another field', '9110 §5.1', get('Content-Lengths: 40')),

    /* Transfer-Encoding */
    ...Object.entries(chunks).map(([name, body]) =>
      framed(ended(200, `in chunks: ${name}`, '9112 §7.1', inChunks(body), { body: 'alpha\n' })),
    ),
    ...Object.entries(oddChunks).map(([name, body]) =>
      ended(200, `in chunks: ${name}`, '9112 §7.1', inChunks(body), { body: 'alpha\n' }),
    ),
    ended(200, 'chunked in capitals', '9112 §7', withCoding('CHUNKED'), { body: 'alpha\n' }),
    ended(200, 'chunked in odd case', '9112 §7', withCoding('cHuNkEd'), { body: 'alpha\n' }),
    ended(
      200,
      'chunked behind a tab',
      '9112 §5',
      `${get('Transfer-Encoding:\tchunked')}0\r\n\r\n`,
      {
        body: 'alpha\n',
      },
    ),
    ended(
      200,
      'chunked, then a tab',
      '9112 §5',
      `${get('Transfer-Encoding: chunked\t')}0\r\n\r\n`,
      {
        body: 'alpha\n',
      },
    ),
    ended(
      405,
      'a POST in chunks',
      '9112 §7.1',
      `${asked('POST', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ),
    ...Object.entries(notFinal).map(([name, value]) =>
      ended(400, `Transfer-Encoding: ${name}`, '9112 §6.3', withCoding(value), mustEnd(400, 501)),
    ),
    ...Object.entries(unknown).map(([name, value]) =>
      ended(501, `Transfer-Encoding: ${name}`, '9112 §6.1', withCoding(value), mustEnd(400, 501)),
    ),
    ended(501, 'gzip before chunked', '9112 §6.1', withCoding('gzip, chunked')),
    ended(501, 'an unknown coding before chunked', '9112 §6.1', withCoding('cow, chunked')),
    ...Object.entries(notCodings).map(([name, value]) =>
      ended(400, name, '9112 §6.3', withCoding(value), mustEnd(400, 501)),
    ),
    ended(400, 'chunked twice in a list', '9112 §6.1', withCoding('chunked, chunked')),
    ended(400, 'chunked with a parameter', '9112 §7.1', withCoding('chunked;q=1')),
    ended(501, 'a list that begins empty', '9110 §5.6.1', withCoding(', chunked')),
    ended(501, 'a list that ends empty', '9110 §5.6.1', withCoding('chunked,')),
    ...[0x01, 0x0b, 0x0c, 0x1f, 0x7f].flatMap((code) => {
      const c = String.fromCharCode(code)
      const hex = `0x${code.toString(16).padStart(2, '0')}`
      return [
        ended(400, `chunked behind ${hex}`, '9110 §5.5', withCoding(`${c}chunked`)),
        ended(400, `chunked before ${hex}`, '9110 §5.5', withCoding(`chunked${c}`)),
      ]
    }),
    ended(400, 'chunked before NUL', '9110 §5.5', withCoding('chunked\0'), must(400, 200)),
    ended(400, 'chunked before a bare carriage return', '9112 §2.2', withCoding('chunked\r')),
    ended(
      400,
      'a folded Transfer-Encoding',
      '9112 §5.2',
      `GET /a.txt HTTP/1.1\r\nHost: test\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`,
      must(400, 200, 501),
    ),
    ended(
      400,
      'a folded Content-Length',
      '9112 §5.2',
      `GET /a.txt HTTP/1.1\r\nHost: test\r\nContent-Length:\r\n 5\r\n\r\nhello`,
      must(400, 200),
    ),
    ended(
      400,
      'chunked with a fold behind it',
      '9112 §6.3',
      `GET /a.txt HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n abc\r\n\r\n0\r\n\r\n`,
      mustEnd(400, 501),
    ),
    ...Object.entries(twice).map(([name, values]) =>
      ended(
        400,
        `two lines: ${name}`,
        '9112 §6.3',
        `${get(...values.map((value) => `Transfer-Encoding: ${value}`))}0\r\n\r\n`,
      ),
    ),
    ...Object.entries(notNames).map(([name, field]) =>
      ended(400, `Transfer-Encoding: ${name}`, '9110 §5.1', `${get(`${field}: chunked`)}0\r\n\r\n`),
    ),
    served('Transfer_Encoding is another field', '9110 §5.1', get('Transfer_Encoding: chunked')),
    served(
      'X-Transfer-Encoding is another field',
      '9110 §5.1',
      get('X-Transfer-Encoding: chunked'),
    ),
    served('Content-Encoding frames nothing', '9110 §8.4', get('Content-Encoding: chunked')),
    served('TE frames nothing', '9110 §10.1.4', get('TE: chunked', 'Connection: TE')),

    /* Both: what request smuggling is made of (RFC 9112 section 11.2). */
    ...Object.entries(contradictions).map(([name, lines]) =>
      ended(400, `both: ${name}`, '9112 §6.1', `${get(...lines)}0\r\n\r\n`, mustEnd()),
    ),
    ...Object.entries(oddAndLength).map(([name, [value, status]]) =>
      ended(
        status,
        `both: ${name}`,
        '9112 §6.1',
        `${get('Content-Length: 5', `Transfer-Encoding: ${value}`)}0\r\n\r\n`,
        mustEnd(),
      ),
    ),
    ended(
      400,
      'CL.TE: a request behind the last chunk, inside the length',
      '9112 §6.1',
      `${asked('POST', `Content-Length: ${5 + SMUGGLED.length}`, 'Transfer-Encoding: chunked')}0\r\n\r\n${SMUGGLED}`,
      mustEnd(),
    ),
    ended(
      400,
      'TE.CL: a request in a chunk, behind the length',
      '9112 §6.1',
      `${asked('POST', 'Content-Length: 4', 'Transfer-Encoding: chunked')}2a\r\n${SMUGGLED}\r\n0\r\n\r\n`,
      mustEnd(),
    ),
    ended(
      400,
      'TE.TE: a second coding one side may not see',
      '9112 §6.1',
      `${asked('POST', 'Content-Length: 4', 'Transfer-Encoding: chunked', 'Transfer-encoding: x')}2a\r\n${SMUGGLED}\r\n0\r\n\r\n`,
      mustEnd(),
    ),
    ended(
      400,
      'both, on a HEAD',
      '9112 §6.1',
      `${asked('HEAD', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      { ...mustEnd(), body: '' },
    ),
    ended(
      400,
      'both, on an OPTIONS',
      '9112 §6.1',
      `${asked('OPTIONS', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      mustEnd(),
    ),

    /* HTTP/1.0 */
    ended(
      400,
      'HTTP/1.0 in chunks',
      '9112 §6.1',
      first10(['Transfer-Encoding: chunked'], '0\r\n\r\n'),
      mustEnd(),
    ),
    ended(
      400,
      'HTTP/1.0 in chunks that would go on',
      '9112 §6.1',
      first10(['Connection: keep-alive', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
      mustEnd(),
    ),
    ended(
      400,
      'HTTP/1.0 in chunks with a length that would go on',
      '9112 §6.1',
      first10(
        ['Connection: keep-alive', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
        '0\r\n\r\n',
      ),
      mustEnd(),
    ),
    served(
      'HTTP/1.0 with a length goes on when asked to',
      '9112 §6.3',
      first10(['Connection: keep-alive', 'Content-Length: 5'], 'hello'),
    ),
  ],
}
