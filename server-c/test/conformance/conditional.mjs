// SPDX-License-Identifier: MIT
// RFC 9110 section 13: which precondition counts, and what it decides. a.txt was last changed on
// Sun, 06 Nov 1994 08:49:37 GMT; its entity tag is the server's to choose.

import { answered, get, getOf, head, must, mustAll, served } from './row.mjs'

const SAME = 'Sun, 06 Nov 1994 08:49:37 GMT'
const EARLIER = 'Sun, 06 Nov 1994 08:49:36 GMT'
const LATER = 'Sun, 06 Nov 1994 08:49:38 GMT'

/* ETAG in a line stands for the server's own tag. */
const ask =
  (...lines) =>
  ({ etag }) =>
    get(...lines.map((line) => line.replaceAll('ETAG', etag)))

/* Section 15.4.5: a 304 names the entity tag that a 200 would have had. */
const must304 = {
  must: true,
  judge: { accepts: ({ status, headers }) => status === 304 && headers.etag !== undefined },
}

const unchanged = (name, rfc, lines, more = must304) =>
  answered(304, name, rfc, ask(...lines), {
    ...more,
    headers: {
      etag: ({ etag }) => etag,
      'content-length': null,
      'content-type': null,
    },
  })
const failed = (name, rfc, lines, more = must(412)) => answered(412, name, rfc, ask(...lines), more)
const whole = (name, rfc, lines, more = {}) => served(name, rfc, ask(...lines), more)

/* RFC 9110 section 13.1.3 and 13.1.4: what is no HTTP-date is ignored, with a MUST. */
const notDates = {
  'an empty date': '',
  'a word': 'yesterday',
  'a number': '784111777',
  'ISO 8601': '1994-11-06T08:49:37Z',
  'no weekday': '06 Nov 1994 08:49:37 GMT',
  'no zone': 'Sun, 06 Nov 1994 08:49:37',
  'a zone in digits': 'Sun, 06 Nov 1994 08:49:37 +0000',
  'another zone': 'Sun, 06 Nov 1994 08:49:37 CET',
  'a day of one digit': 'Sun, 6 Nov 1994 08:49:37 GMT',
  'a day 32': 'Sun, 32 Nov 2094 08:49:37 GMT',
  'the 30th of February': 'Tue, 30 Feb 2094 08:49:37 GMT',
  'a month nobody knows': 'Sun, 06 Nox 2094 08:49:37 GMT',
  'an hour 24': 'Sun, 06 Nov 2094 24:00:00 GMT',
  'a minute 60': 'Sun, 06 Nov 2094 08:60:37 GMT',
  'a second 61': 'Sun, 06 Nov 2094 08:49:61 GMT',
  'a year of three digits': 'Sun, 06 Nov 994 08:49:37 GMT',
  'a year of five digits': 'Sun, 06 Nov 12094 08:49:37 GMT',
  'something behind it': 'Sun, 06 Nov 2094 08:49:37 GMT; length=6',
  'a word behind it': 'Sun, 06 Nov 2094 08:49:37 GMT foo',
  'quotes around it': '"Sun, 06 Nov 2094 08:49:37 GMT"',
  'two dates': `${LATER}, ${LATER}`,
}

export const conditional = {
  title: 'conditional requests',
  sources: ['nginx-tests', 'lighttpd', 'cache-tests', 'Http11Probe'],
  rows: [
    /* If-None-Match: the weak comparison, and 304 with a MUST (section 13.1.2) */
    unchanged('If-None-Match: its tag', '9110 §13.1.2', ['If-None-Match: ETAG']),
    unchanged('If-None-Match: its tag, weak', '9110 §13.1.2', ['If-None-Match: W/ETAG']),
    unchanged('If-None-Match: anything', '9110 §13.1.2', ['If-None-Match: *']),
    unchanged('If-None-Match: first of a list', '9110 §13.1.2', ['If-None-Match: ETAG, "b", "c"']),
    unchanged('If-None-Match: middle of a list', '9110 §13.1.2', ['If-None-Match: "a", ETAG, "c"']),
    unchanged('If-None-Match: end of a list', '9110 §13.1.2', ['If-None-Match: "a", "b", ETAG']),
    unchanged('If-None-Match: a list without spaces', '9110 §13.1.2', [
      'If-None-Match: "a","b",ETAG',
    ]),
    unchanged('If-None-Match: a list with tabs', '9110 §5.6.1', [
      'If-None-Match: "a" ,\tETAG\t, "c"',
    ]),
    unchanged('If-None-Match: a list with gaps', '9110 §5.6.1', [
      'If-None-Match: "a",, ,,  ,  ETAG',
    ]),
    unchanged('If-None-Match: a list that begins empty', '9110 §5.6.1', ['If-None-Match: , ETAG']),
    unchanged('If-None-Match: weak and strong in a list', '9110 §13.1.2', [
      'If-None-Match: W/"a", "b", W/ETAG',
    ]),
    unchanged('If-None-Match: a tag with a comma before it', '9110 §8.8.3', [
      'If-None-Match: "a, b", ETAG',
    ]),
    unchanged('If-None-Match: a tag with a backslash before it', '9110 §8.8.3', [
      'If-None-Match: "a\\", ETAG',
    ]),
    unchanged('If-None-Match: an empty tag before it', '9110 §8.8.3', ['If-None-Match: "", ETAG']),
    unchanged('If-None-Match: a tag of Latin-1 before it', '9110 §8.8.3', [
      'If-None-Match: "\xfc", ETAG',
    ]),
    unchanged(
      'If-None-Match: in a second line',
      '9110 §5.3',
      ['If-None-Match: "a"', 'If-None-Match: ETAG'],
      must(304, 400),
    ),
    unchanged(
      'If-None-Match: in the first of two lines',
      '9110 §5.3',
      ['If-None-Match: ETAG', 'If-None-Match: "a"'],
      must(304, 400),
    ),
    unchanged(
      'If-None-Match: its tag, then rubbish',
      '9110 §13.1.2',
      ['If-None-Match: "a", ETAG, "no end'],
      {},
    ),
    whole('If-None-Match: another tag', '9110 §13.1.2', ['If-None-Match: "a"'], mustAll),
    whole(
      'If-None-Match: a list of others',
      '9110 §13.1.2',
      ['If-None-Match: "a", W/"b", "c"'],
      mustAll,
    ),
    whole(
      'If-None-Match: a star in quotes is a tag',
      '9110 §13.1.2',
      ['If-None-Match: "*"'],
      mustAll,
    ),
    whole('If-None-Match: an empty tag', '9110 §8.8.3', ['If-None-Match: ""'], mustAll),
    whole('If-None-Match: nothing', '9110 §13.1.2', ['If-None-Match:']),
    whole('If-None-Match: its tag inside another', '9110 §8.8.3', ['If-None-Match: "xETAGx"']),
    served('If-None-Match: its tag without quotes', '9110 §8.8.3', ({ etag }) =>
      get(`If-None-Match: ${etag.replaceAll('"', '')}`),
    ),
    served('If-None-Match: its tag without the last quote', '9110 §8.8.3', ({ etag }) =>
      get(`If-None-Match: ${etag.slice(0, -1)}`),
    ),
    served('If-None-Match: its tag without the first quote', '9110 §8.8.3', ({ etag }) =>
      get(`If-None-Match: ${etag.slice(1)}`),
    ),
    whole('If-None-Match: a small w', '9110 §8.8.3', ['If-None-Match: w/ETAG']),
    whole('If-None-Match: W and a backslash', '9110 §8.8.3', ['If-None-Match: W\\ETAG']),
    whole('If-None-Match: W without its slash', '9110 §8.8.3', ['If-None-Match: WETAG']),
    whole('If-None-Match: a space behind W/', '9110 §8.8.3', ['If-None-Match: W/ ETAG']),
    served('If-None-Match: its tag in capitals', '9110 §8.8.3.2', ({ etag }) =>
      get(`If-None-Match: ${etag.toUpperCase().replace('W/', '')}x`),
    ),

    /* If-Modified-Since (section 13.1.3) */
    unchanged(
      'If-Modified-Since: the same second',
      '9110 §13.1.3',
      [`If-Modified-Since: ${SAME}`],
      {},
    ),
    unchanged('If-Modified-Since: later', '9110 §13.1.3', [`If-Modified-Since: ${LATER}`], {}),
    unchanged(
      'If-Modified-Since: RFC 850',
      '9110 §5.6.7',
      ['If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT'],
      {},
    ),
    unchanged(
      'If-Modified-Since: asctime',
      '9110 §5.6.7',
      ['If-Modified-Since: Sun Nov  6 08:49:37 1994'],
      {},
    ),
    unchanged(
      'If-Modified-Since: 2037',
      '9110 §13.1.3',
      ['If-Modified-Since: Wed, 08 Jul 2037 22:53:52 GMT'],
      {},
    ),
    unchanged(
      'If-Modified-Since: the last 32-bit second',
      '9110 §13.1.3',
      ['If-Modified-Since: Tue, 19 Jan 2038 03:14:07 GMT'],
      {},
    ),
    unchanged(
      'If-Modified-Since: the second behind it',
      '9110 §13.1.3',
      ['If-Modified-Since: Tue, 19 Jan 2038 03:14:08 GMT'],
      {},
    ),
    unchanged(
      'If-Modified-Since: 2174',
      '9110 §13.1.3',
      ['If-Modified-Since: Fri, 25 Feb 2174 09:42:23 GMT'],
      {},
    ),
    unchanged(
      'If-Modified-Since: a leap second',
      '9110 §5.6.7',
      ['If-Modified-Since: Sat, 31 Dec 2016 23:59:60 GMT'],
      {},
    ),
    unchanged(
      'If-Modified-Since: a leap day',
      '9110 §5.6.7',
      ['If-Modified-Since: Thu, 29 Feb 2024 00:00:00 GMT'],
      {},
    ),
    unchanged(
      'If-Modified-Since: beside a name that resembles it',
      '9110 §5.1',
      [`If-Modified-Since2: ${EARLIER}`, `If-Modified-Since: ${SAME}`],
      {},
    ),
    whole(
      'If-Modified-Since: a second earlier',
      '9110 §13.1.3',
      [`If-Modified-Since: ${EARLIER}`],
      mustAll,
    ),
    whole(
      'If-Modified-Since: 1970',
      '9110 §13.1.3',
      ['If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT'],
      mustAll,
    ),
    whole(
      'If-Modified-Since: RFC 850, a second earlier',
      '9110 §5.6.7',
      ['If-Modified-Since: Sunday, 06-Nov-94 08:49:36 GMT'],
      mustAll,
    ),
    whole(
      'If-Modified-Since: asctime, a second earlier',
      '9110 §5.6.7',
      ['If-Modified-Since: Sun Nov  6 08:49:36 1994'],
      mustAll,
    ),
    ...Object.entries(notDates).map(([name, date]) =>
      whole(`If-Modified-Since: ${name}`, '9110 §13.1.3', [`If-Modified-Since: ${date}`], mustAll),
    ),
    whole(
      'If-Modified-Since: in two lines, which is none',
      '9110 §13.1.3',
      [`If-Modified-Since: ${LATER}`, `If-Modified-Since: ${LATER}`],
      mustAll,
    ),
    whole(
      'If-Unmodified-Since: in two lines, which is none',
      '9110 §13.1.4',
      [`If-Unmodified-Since: ${EARLIER}`, `If-Unmodified-Since: ${EARLIER}`],
      mustAll,
    ),

    /* If-Match: the strong comparison (section 13.1.1) */
    served('If-Match: its tag', '9110 §13.1.1', ask('If-Match: ETAG'), mustAll),
    whole('If-Match: anything', '9110 §13.1.1', ['If-Match: *'], mustAll),
    whole('If-Match: end of a list', '9110 §13.1.1', ['If-Match: "a", "b", \tETAG'], mustAll),
    whole(
      'If-Match: in a second line',
      '9110 §5.3',
      ['If-Match: "a"', 'If-Match: ETAG'],
      must(200, 400),
    ),
    whole('If-Match: its tag among weak ones', '9110 §13.1.1', ['If-Match: W/"a", ETAG'], mustAll),
    failed('If-Match: another tag', '9110 §13.1.1', ['If-Match: "a"']),
    failed('If-Match: a list of others', '9110 §13.1.1', ['If-Match: "a", "b"']),
    failed('If-Match: its tag, weak', '9110 §8.8.3.2', ['If-Match: W/ETAG']),
    failed('If-Match: a star in quotes is a tag', '9110 §13.1.1', ['If-Match: "*"']),
    failed('If-Match: nothing', '9110 §13.1.1', ['If-Match:'], {}),
    failed('If-Match: rubbish', '9110 §13.1.1', ['If-Match: rubbish'], {}),

    /* If-Unmodified-Since (section 13.1.4) */
    whole(
      'If-Unmodified-Since: the same second',
      '9110 §13.1.4',
      [`If-Unmodified-Since: ${SAME}`],
      mustAll,
    ),
    whole('If-Unmodified-Since: later', '9110 §13.1.4', [`If-Unmodified-Since: ${LATER}`], mustAll),
    failed('If-Unmodified-Since: a second earlier', '9110 §13.1.4', [
      `If-Unmodified-Since: ${EARLIER}`,
    ]),
    failed('If-Unmodified-Since: RFC 850, a second earlier', '9110 §13.1.4', [
      'If-Unmodified-Since: Sunday, 06-Nov-94 08:49:36 GMT',
    ]),
    failed('If-Unmodified-Since: asctime, a second earlier', '9110 §13.1.4', [
      'If-Unmodified-Since: Sun Nov  6 08:49:36 1994',
    ]),
    ...[
      '',
      'yesterday',
      '1990-01-01T00:00:00Z',
      '01 Jan 1990 00:00:00 GMT',
      'Mon, 01 Jan 1990 00:00:00 +0000',
    ].map((date) =>
      whole(
        `If-Unmodified-Since: "${date}" is no date`,
        '9110 §13.1.4',
        [`If-Unmodified-Since: ${date}`],
        mustAll,
      ),
    ),

    /* Section 8.8.2.1: a date that lies ahead is not given away as one. */
    answered(200, 'a file changed in the future was not', '9110 §8.8.2.1', getOf('/future.txt'), {
      headers: { 'last-modified': null, etag: /^"/ },
      must: true,
      judge: {
        accepts: ({ headers }) =>
          !headers['last-modified'] ||
          Date.parse(headers['last-modified']) <= Date.parse(headers.date),
      },
    }),

    /* Which one counts (section 13.2.2) */
    whole(
      'If-None-Match counts, not If-Modified-Since',
      '9110 §13.1.3',
      ['If-None-Match: "a"', `If-Modified-Since: ${SAME}`],
      mustAll,
    ),
    whole(
      'whichever comes first',
      '9110 §13.1.3',
      [`If-Modified-Since: ${LATER}`, 'If-None-Match: "a"'],
      mustAll,
    ),
    unchanged('If-None-Match counts, not an earlier date', '9110 §13.1.3', [
      'If-None-Match: ETAG',
      `If-Modified-Since: ${EARLIER}`,
    ]),
    unchanged('If-None-Match counts, not what is no date', '9110 §13.1.3', [
      'If-None-Match: ETAG',
      'If-Modified-Since: foo',
    ]),
    whole(
      'If-Match counts, not If-Unmodified-Since',
      '9110 §13.1.4',
      ['If-Match: ETAG', `If-Unmodified-Since: ${EARLIER}`],
      mustAll,
    ),
    failed('If-Match counts, not a later date', '9110 §13.1.4', [
      'If-Match: "a"',
      `If-Unmodified-Since: ${LATER}`,
    ]),
    failed('If-Match first, then If-None-Match', '9110 §13.2.2', [
      'If-None-Match: ETAG',
      'If-Match: "a"',
    ]),
    unchanged('If-Match holds, If-None-Match decides', '9110 §13.2.2', [
      'If-Match: ETAG',
      'If-None-Match: ETAG',
    ]),
    whole(
      'If-Match holds, If-None-Match holds',
      '9110 §13.2.2',
      ['If-Match: ETAG', 'If-None-Match: "a"'],
      mustAll,
    ),
    failed('If-Match first, then If-Modified-Since', '9110 §13.2.2', [
      'If-Match: "a"',
      `If-Modified-Since: ${SAME}`,
    ]),
    failed('If-Unmodified-Since first, then If-None-Match', '9110 §13.2.2', [
      `If-Unmodified-Since: ${EARLIER}`,
      'If-None-Match: ETAG',
    ]),
    unchanged('If-Unmodified-Since holds, If-None-Match decides', '9110 §13.2.2', [
      `If-Unmodified-Since: ${SAME}`,
      'If-None-Match: ETAG',
    ]),
    failed('If-Unmodified-Since first, then If-Modified-Since', '9110 §13.2.2', [
      `If-Unmodified-Since: ${EARLIER}`,
      `If-Modified-Since: ${SAME}`,
    ]),
    unchanged('all four hold', '9110 §13.2.2', [
      'If-Match: *',
      `If-Unmodified-Since: ${EARLIER}`,
      'If-None-Match: *',
      `If-Modified-Since: ${EARLIER}`,
    ]),

    /* A precondition asks nothing of what would not have been a 2xx (section 13.2.1) */
    answered(
      404,
      'If-Match of what is not there',
      '9110 §13.2.1',
      getOf('/nope', 'If-Match: "a"'),
      must(404),
    ),
    answered(
      404,
      'If-None-Match of what is not there',
      '9110 §13.2.1',
      getOf('/nope', 'If-None-Match: *'),
      must(404),
    ),
    answered(
      404,
      'If-Modified-Since of what is not there',
      '9110 §13.2.1',
      getOf('/nope', `If-Modified-Since: ${LATER}`),
      must(404),
    ),
    answered(
      404,
      'If-Unmodified-Since of what is not there',
      '9110 §13.2.1',
      getOf('/nope', `If-Unmodified-Since: ${EARLIER}`),
      must(404),
    ),
    answered(
      301,
      'If-None-Match of a folder without its slash',
      '9110 §13.2.1',
      getOf('/folder', 'If-None-Match: *'),
      must(301),
    ),
    answered(
      301,
      'If-Match of a folder without its slash',
      '9110 §13.2.1',
      getOf('/folder', 'If-Match: "a"'),
      must(301),
    ),
    answered(
      204,
      'If-None-Match means nothing to OPTIONS',
      '9110 §13.2.1',
      head('OPTIONS /a.txt HTTP/1.1', 'Host: test', 'If-None-Match: *'),
    ),
    answered(
      204,
      'If-Modified-Since means nothing to OPTIONS',
      '9110 §13.1.3',
      head('OPTIONS /a.txt HTTP/1.1', 'Host: test', `If-Modified-Since: ${LATER}`),
    ),
    unchanged('a folder is its index here too', '9110 §13.1.2', ['If-None-Match: ETAG']),
  ],
}
