// SPDX-License-Identifier: MIT
// The files all rows ask for, under two sites: "other.test", and one for every other name.

import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { writeTree } from '../support/node.mjs'

/** When a.txt and numbers.txt were last changed; long ago, so that the date is a strong validator. */
export const CHANGED = 784111777 // Sun, 06 Nov 1994 08:49:37 GMT

/** When future.txt will have been changed, as a clock that was wrong has it. */
const NOT_YET = 4102444800 // Fri, 01 Jan 2100 00:00:00 GMT

/** A hundred lines of ten bytes: where a range lies can be read from its bytes. */
export const numbers = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(9, '0'))
  .join('\n')
  .concat('\n')

/** More than a server keeps in memory or sends at once. */
export const large = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251))

const files = {
  'a.txt': 'alpha\n',
  'numbers.txt': numbers,
  'large.bin': large,
  'future.txt': 'future\n',
  'empty.txt': '',
  'probe.txt': 'probe\n',
  'index.html': 'root\n',
  'folder/index.html': 'folder\n',
  'folder/x.txt': 'x\n',
  'no index/x.txt': 'x\n',
  'a b.txt': 'space\n',
  'ä.txt': 'umlaut\n',
  '100%.txt': 'percent\n',
  'a+b.txt': 'plus\n',
  'q?.txt': 'question mark\n',
  'h#.txt': 'hash\n',
  'semi;colon.txt': 'semicolon\n',
  '~tilde.txt': 'tilde\n',
  "sub!$&'()*+,;=:@.txt": 'delimiters\n',
  '...txt': 'hidden\n',
  '.hidden': 'hidden\n',
}

/** Writes both sites' files below `folder`: www and other. */
export function writeDocroot(folder) {
  writeTree(join(folder, 'www'), files)
  writeTree(join(folder, 'other'), { 'a.txt': 'other\n', 'probe.txt': 'probe\n' })
  for (const name of ['a.txt', 'numbers.txt', 'large.bin'])
    utimesSync(join(folder, 'www', name), CHANGED, CHANGED)
  utimesSync(join(folder, 'www/future.txt'), NOT_YET, NOT_YET)
}

/** The bytes a target stands for, for the checks of ranges. */
export function bytesOf(target) {
  return Buffer.from(files[target.slice(1)])
}
