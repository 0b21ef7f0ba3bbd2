// SPDX-License-Identifier: MIT
import { fileURLToPath } from 'node:url'

const reporter = fileURLToPath(new URL('file-times-reporter.mjs', import.meta.url))

/** What node:test is started with, so that its output has each file's time, too. */
export const withFileTimes = ['spec', reporter].flatMap((name) => [
  `--test-reporter=${name}`,
  '--test-reporter-destination=stdout',
])
