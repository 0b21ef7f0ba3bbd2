// SPDX-License-Identifier: MIT
// RFC 9110 sections 13.1.5 and 14: parts of a file of 1,000 bytes, and of one of 300,000.

import { answered, get, getOf, must, mustPart } from './row.mjs'

const SIZE = 1000
const SAME = 'Sun, 06 Nov 1994 08:49:37 GMT'

const ask =
  (target, ...lines) =>
  ({ numbersEtag }) =>
    getOf(target, ...lines.map((line) => line.replaceAll('ETAG', numbersEtag)))

const part = (range, ranges, more = {}) => {
  const target = more.target ?? '/numbers.txt'
  return answered(
    206,
    more.name ?? range,
    more.rfc ?? '9110 §14.1.2',
    ask(target, `Range: ${range}`, ...(more.lines ?? [])),
    {
      target,
      ranges,
      ...more,
      headers: { etag: /^"/, 'last-modified': SAME, 'accept-ranges': /bytes/ },
      name: more.name ?? range,
    },
  )
}

/** Several: each of them in a part of its own, in the order asked for. */
const parts = (range, ranges, more = {}) => part(range, ranges, { rfc: '9110 §15.3.7.2', ...more })

const whole = (range, more = {}) =>
  answered(
    200,
    more.name ?? range,
    more.rfc ?? '9110 §14.2',
    ask('/numbers.txt', `Range: ${range}`, ...(more.lines ?? [])),
    {
      headers: { 'content-length': `${SIZE}`, 'content-range': null },
      ...more,
      name: more.name ?? range,
    },
  )

const never = (range, more = {}) =>
  answered(416, range, '9110 §15.5.17', getOf(more.target ?? '/numbers.txt', `Range: ${range}`), {
    headers: { 'content-range': `bytes */${more.size ?? SIZE}` },
    ...more,
  })

const withIfRange = (name, value, more = {}) =>
  whole('bytes=0-9', {
    ...more,
    name: `If-Range: ${name}`,
    rfc: '9110 §13.1.5',
    lines: [`If-Range: ${value}`],
  })

/* "bytes" it is not, so a server MUST NOT act on it (section 14.2). */
const otherUnits = ['lines=0-9', 'seconds=1-2', 'byte=0-9', 'bytes2=0-9', 'octets=0-9', 'none=0-9']

/* Not what section 14.1.1 calls a list of ranges; ignored. */
const malformed = {
  'no unit': '0-9',
  'a number alone': '0',
  'a unit alone': 'bytes',
  'a unit and an equals sign': 'bytes=',
  nothing: '',
  'a hyphen alone': 'bytes=-',
  'no hyphen': 'bytes=10',
  'a word': 'bytes=alpha',
  'a word behind the hyphen': 'bytes=10-alpha',
  'a word before the hyphen': 'bytes=alpha-10',
  'two hyphens': 'bytes=0--',
  'a negative end': 'bytes=0--9',
  'three numbers': 'bytes=1-2-3',
  'a suffix of a range': 'bytes=-2-3',
  'an end before its start': 'bytes=9-0',
  'an end before its start, by one': 'bytes=500-499',
  'a space between digits': 'bytes=1 0-20',
  'a space before the hyphen': 'bytes=0 -9',
  'a space behind the hyphen': 'bytes=0- 9',
  'a space before the equals sign': 'bytes =0-9',
  'a space for the comma': 'bytes=10-11 12-13',
  'a semicolon for the comma': 'bytes=10-11;12-13',
  'a colon for the equals sign': 'bytes:0-9',
  'a plus sign': 'bytes=+0-9',
  hexadecimal: 'bytes=0x0-0x9',
  'a fraction': 'bytes=0.0-9.0',
  'a star': 'bytes=*',
  'as in Content-Range': 'bytes 0-9/1000',
  'with a length behind it': 'bytes=0-9/1000',
  quotes: 'bytes="0-9"',
  'something behind it': 'bytes=0-9x',
  'two equals signs': 'bytes==0-9',
  'only commas': 'bytes=,,',
  'one good and one not': 'bytes=0-9,x',
  'one good and one whose end is before its start': 'bytes=0-9,30-20',
}

export const ranges = {
  title: 'ranges',
  sources: ['nginx-tests', 'lighttpd', 'h2o', 'cache-tests', 'Http11Probe'],
  rows: [
    part('bytes=0-0', [[0, 0]]),
    part('bytes=0-8', [[0, 8]]),
    part('bytes=10-19', [[10, 19]]),
    part('bytes=999-999', [[999, 999]]),
    part('bytes=0-999', [[0, 999]]),
    part('bytes=0-', [[0, 999]]),
    part('bytes=990-', [[990, 999]]),
    part('bytes=999-', [[999, 999]]),
    part('bytes=990-1990', [[990, 999]]),
    part('bytes=0-10001', [[0, 999]]),
    part('bytes=1-18446744073709551615', [[1, 999]]),
    part('bytes=1-18446744073709551616', [[1, 999]]),
    part('bytes=1-99999999999999999999999999', [[1, 999]]),
    part('bytes=1-9223372036854775807', [[1, 999]]),
    part('bytes=-1', [[999, 999]]),
    part('bytes=-10', [[990, 999]]),
    part('bytes=-1000', [[0, 999]]),
    part('bytes=-1001', [[0, 999]]),
    part('bytes=-99999999999999999999999999', [[0, 999]]),
    part('bytes=0010-0019', [[10, 19]], { name: 'zeros in front' }),
    part('BYTES=0-9', [[0, 9]], { name: 'the unit in capitals', rfc: '9110 §14.1' }),
    part('Bytes=0-9', [[0, 9]], { name: 'the unit in odd case', rfc: '9110 §14.1' }),
    part('bytes=0-9,', [[0, 9]], {
      name: 'one, and an empty element behind it',
      rfc: '9110 §5.6.1',
    }),
    part('bytes=,0-9', [[0, 9]], {
      name: 'one, and an empty element before it',
      rfc: '9110 §5.6.1',
    }),
    part('bytes=, ,0-9, ,', [[0, 9]], { name: 'one among empty elements', rfc: '9110 §5.6.1' }),
    part('bytes=0-9', [[0, 9]], { target: '/large.bin', name: 'the first bytes of a large file' }),
    part('bytes=131000-262200', [[131000, 262200]], {
      target: '/large.bin',
      name: 'the middle of a large file',
    }),
    part('bytes=-5', [[299995, 299999]], {
      target: '/large.bin',
      name: 'the last bytes of a large file',
    }),
    part('bytes=1-', [[1, 299999]], {
      target: '/large.bin',
      name: 'all but the first byte of a large file',
    }),

    never('bytes=1000-'),
    never('bytes=1000-1000'),
    never('bytes=5000-6000'),
    never('bytes=100000-'),
    never('bytes=-0'),
    never('bytes=18446744073709551615-'),
    never('bytes=18446744073709551616-'),
    never('bytes=99999999999999999999999999-'),
    never('bytes=1-', { target: '/empty.txt', size: 0 }),
    /* It asks for what there is, from the start, and no Content-Range could say so; a 416 is an error
       to who only ever asks for slices. Section 14.2 lets a server ignore Range. */
    ...['bytes=0-', 'bytes=0-0', 'bytes=0-1048575', 'bytes=-5', 'bytes=0-,5-'].map((range) =>
      answered(
        200,
        `${range} of an empty file`,
        '9110 §14.2',
        getOf('/empty.txt', `Range: ${range}`),
        { body: '', headers: { 'content-length': '0', 'content-range': null } },
      ),
    ),
    never('bytes=1000-,2000-'),
    never('bytes=-0,1000-'),
    never('bytes=-0,-0'),

    ...otherUnits.map((range) => whole(range, must(200))),
    ...Object.entries(malformed).map(([name, range]) => whole(range, { name: `ignored: ${name}` })),
    answered(404, 'of what is not there', '9110 §14.2', getOf('/nope', 'Range: bytes=0-9')),
    answered(
      301,
      'of a folder without its slash',
      '9110 §14.2',
      getOf('/folder', 'Range: bytes=0-9'),
    ),
    answered(
      200,
      'names that resemble it',
      '9110 §5.1',
      getOf('/numbers.txt', 'Ranges: bytes=0-9', 'Range-: bytes=0-9'),
      {
        headers: { 'content-range': null, 'content-length': '1000' },
      },
    ),
    answered(
      200,
      'Request-Range is no field of ours',
      '9110 §14.2',
      getOf('/numbers.txt', 'Request-Range: bytes=0-9'),
    ),

    /* Several (section 14.6, 15.3.7.2) */
    parts('bytes=0-9,20-29', [
      [0, 9],
      [20, 29],
    ]),
    parts(
      'bytes=0-9, 20-29',
      [
        [0, 9],
        [20, 29],
      ],
      { name: 'a space behind the comma' },
    ),
    parts(
      'bytes=0-9 ,\t20-29',
      [
        [0, 9],
        [20, 29],
      ],
      { name: 'spaces and tabs around the comma' },
    ),
    parts(
      'bytes=0-9,,20-29',
      [
        [0, 9],
        [20, 29],
      ],
      { name: 'an empty element between two', rfc: '9110 §5.6.1' },
    ),
    parts(
      'bytes=0-0,-1',
      [
        [0, 0],
        [999, 999],
      ],
      { name: 'the first and the last byte' },
    ),
    parts(
      'bytes=0-9, -10, 10-19',
      [
        [0, 9],
        [990, 999],
        [10, 19],
      ],
      { name: 'in the order asked for' },
    ),
    parts(
      'bytes=500-509,100-109,300-309',
      [
        [500, 509],
        [100, 109],
        [300, 309],
      ],
      { name: 'from behind and the middle' },
    ),
    parts(
      'bytes=0-9, -10, 100000-, 10-19',
      [
        [0, 9],
        [990, 999],
        [10, 19],
      ],
      { name: 'one that lies behind the end is left out' },
    ),
    parts(
      'bytes=100-109,900-',
      [
        [100, 109],
        [900, 999],
      ],
      { name: 'one without an end' },
    ),
    parts(
      'bytes=100-109,990-2000',
      [
        [100, 109],
        [990, 999],
      ],
      { name: 'one that ends behind the end' },
    ),
    parts(
      'bytes=0-99,200-299,400-499,600-699,800-899',
      [0, 200, 400, 600, 800].map((n) => [n, n + 99]),
      { target: '/large.bin', name: 'five' },
    ),
    parts(
      `bytes=${Array.from({ length: 16 }, (_, i) => `${i * 60}-${i * 60 + 9}`).join()}`,
      Array.from({ length: 16 }, (_, i) => [i * 60, i * 60 + 9]),
      { target: '/large.bin', name: 'sixteen' },
    ),
    parts(
      'bytes=0-9,100000-109999',
      [
        [0, 9],
        [100000, 109999],
      ],
      { target: '/large.bin', name: 'two of a large file' },
    ),
    parts(
      'bytes=0-149999,150000-290000',
      [
        [0, 149999],
        [150000, 290000],
      ],
      { target: '/large.bin', name: 'nearly two halves of a large file' },
    ),
    /* A set whose parts and their heads weigh more than the file is not worth its making. */
    whole('bytes=0-499,500-999', { name: 'two halves' }),
    whole('bytes=0-99,200-299,400-499,600-699,800-899', { name: 'five of a small file' }),
    whole(`bytes=${Array.from({ length: 16 }, (_, i) => `${i * 60}-${i * 60 + 9}`).join()}`, {
      name: 'sixteen of a small file',
    }),
    part('bytes=0-9,5000-', [[0, 9]], {
      name: 'one that can be had, one that can not: a single part',
      rfc: '9110 §15.3.7.2',
    }),
    part('bytes=5000-6000,-10', [[990, 999]], {
      name: 'one that can not be had, one that can: a single part',
      rfc: '9110 §15.3.7.2',
    }),
    whole('bytes=0-,0-,0-,0-', { name: 'four times all of it', rfc: '9110 §17.15' }),
    whole(`bytes=${Array(16).fill('0-').join()}`, {
      name: 'sixteen times all of it',
      rfc: '9110 §17.15',
    }),
    /* In the file's order, as tools that fetch differences ask for them */
    ...[17, 200, 256].map((count) =>
      parts(
        `bytes=${Array.from({ length: count }, (_, i) => `${i * 1000}-${i * 1000 + 9}`).join()}`,
        Array.from({ length: count }, (_, i) => [i * 1000, i * 1000 + 9]),
        { target: '/large.bin', name: `${count} in order` },
      ),
    ),
    whole(`bytes=${Array.from({ length: 17 }, (_, i) => `${i * 50}-${i * 50 + 1}`).join()}`, {
      name: 'seventeen of a small file',
      rfc: '9110 §14.2',
    }),
    ...Object.entries({
      'seventeen from behind': Array.from({ length: 17 }, (_, i) => 200_000 - i * 1000),
      '257 in order': Array.from({ length: 257 }, (_, i) => i * 1000),
      'two hundred, and one that goes back': [...Array(200).keys(), 5].map((i) => i * 1000),
    }).map(([name, starts]) =>
      answered(
        200,
        name,
        '9110 §17.15',
        getOf('/large.bin', `Range: bytes=${starts.map((n) => `${n}-${n + 9}`).join()}`),
        { headers: { 'content-length': '300000', 'content-range': null } },
      ),
    ),
    whole(`bytes=${Array.from({ length: 1000 }, (_, i) => `${i}-${i}`).join()}`, {
      name: 'a thousand',
      rfc: '9110 §17.15',
    }),
    whole(`bytes=0-,${Array.from({ length: 1300 }, (_, i) => `5-${i}`).join()}`, {
      name: 'as the attack of 2011 had it',
      rfc: '9110 §17.15',
    }),
    whole(`bytes=${Array.from({ length: 10 }, (_, i) => `${i}-${i + 20}`).join()}`, {
      name: 'ten that overlap',
      rfc: '9110 §14.2',
    }),

    /* If-Range (section 13.1.5): the strong comparison, and else the whole */
    part('bytes=0-9', [[0, 9]], {
      name: 'If-Range: its tag',
      rfc: '9110 §13.1.5',
      lines: ['If-Range: ETAG'],
    }),
    part('bytes=0-9', [[0, 9]], {
      name: 'If-Range: its date',
      rfc: '9110 §13.1.5',
      lines: [`If-Range: ${SAME}`],
    }),
    part('bytes=0-9', [[0, 9]], {
      name: 'If-Range: its date, RFC 850',
      rfc: '9110 §5.6.7',
      lines: ['If-Range: Sunday, 06-Nov-94 08:49:37 GMT'],
    }),
    parts(
      'bytes=0-9,20-29',
      [
        [0, 9],
        [20, 29],
      ],
      { name: 'If-Range: its tag, and two ranges', rfc: '9110 §13.1.5', lines: ['If-Range: ETAG'] },
    ),
    answered(
      416,
      'If-Range: its tag, and a range behind the end',
      '9110 §13.1.5',
      ask('/numbers.txt', 'Range: bytes=5000-', 'If-Range: ETAG'),
    ),
    ...Object.entries({
      'another tag': '"a"',
      'its tag, weak': 'W/ETAG',
      'an empty tag': '""',
      'an earlier date': 'Sun, 06 Nov 1994 08:49:36 GMT',
      'a later date': 'Sun, 06 Nov 1994 08:49:38 GMT',
      'a date far ahead': 'Fri, 25 Feb 2174 09:42:23 GMT',
    }).map(([name, value]) => withIfRange(name, value, must(200))),
    ...Object.entries({
      'a star': '*',
      'a list with its tag': 'ETAG, "a"',
      'a list that ends in its tag': '"a", ETAG',
      'a date and a word behind it': `${SAME} x`,
      'a word': 'wrong',
      nothing: '',
    }).map(([name, value]) => withIfRange(name, value)),
    whole('bytes=5000-', {
      ...must(200),
      name: 'If-Range: another tag, and a range behind the end',
      rfc: '9110 §13.1.5',
      lines: ['If-Range: "a"'],
    }),
    answered(200, 'If-Range without Range', '9110 §13.1.5', get('If-Range: "a"'), {
      ...must(200),
      body: 'alpha\n',
    }),

    /* The other preconditions come before it (section 13.2.2) */
    answered(
      304,
      'not modified',
      '9110 §13.2.2',
      ask('/numbers.txt', 'Range: bytes=0-9', 'If-None-Match: ETAG'),
      must(304),
    ),
    answered(
      304,
      'not modified since',
      '9110 §13.2.2',
      ask('/numbers.txt', 'Range: bytes=0-9', `If-Modified-Since: ${SAME}`),
    ),
    answered(
      412,
      'If-Match that fails',
      '9110 §13.2.2',
      ask('/numbers.txt', 'Range: bytes=0-9', 'If-Match: "a"'),
      must(412),
    ),
    answered(
      412,
      'If-Match that fails, and a range behind the end',
      '9110 §13.2.2',
      ask('/numbers.txt', 'Range: bytes=5000-', 'If-Match: "a"'),
      must(412),
    ),
    answered(
      412,
      'If-Unmodified-Since that fails',
      '9110 §13.2.2',
      ask('/numbers.txt', 'Range: bytes=0-9', 'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT'),
      must(412),
    ),
    part('bytes=0-9', [[0, 9]], {
      name: 'If-Match that holds',
      rfc: '9110 §13.2.2',
      lines: ['If-Match: ETAG'],
    }),
    part('bytes=0-9', [[0, 9]], {
      name: 'If-None-Match that holds',
      rfc: '9110 §13.2.2',
      lines: ['If-None-Match: "a"'],
    }),
    whole('bytes=0-9', {
      ...must(200),
      name: 'If-Match holds, If-Range does not',
      rfc: '9110 §13.2.2',
      lines: ['If-Match: ETAG', 'If-Range: "a"'],
    }),
  ].map((row) => (row.status === 206 ? { ...row, ...mustPart } : row)),
}
