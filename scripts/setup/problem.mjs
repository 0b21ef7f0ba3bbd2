// SPDX-License-Identifier: MIT
// A failure the person at the terminal can do something about: one sentence that says what is
// wrong and what to do. Anything else that is thrown is a bug of ours and keeps its stack.

export class Problem extends Error {
  /**
   * @param {string} sentence what is wrong and the remedy
   * @param {{ detail?: string }} [more] lines worth reading above the sentence
   */
  constructor(sentence, { detail = '' } = {}) {
    super(sentence)
    this.detail = detail
  }
}

/** @type {{ pattern: RegExp, remedy: string }[]} */
const known = [
  {
    pattern: /ENOSPC|No space left on device|not enough free space/i,
    remedy: 'The disk is full: free some space (about 2 GB are needed) and run the command again.',
  },
  {
    pattern:
      /EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|Temporary failure resolving|Could not connect|Failed to fetch/,
    remedy:
      'A package registry cannot be reached: check the network and the proxy settings, then run the command again.',
  },
  {
    pattern: /Unable to locate package|has no installation candidate/,
    remedy:
      'This system has no such Debian package: Farmstead is built on Debian 12 (bookworm) or newer; enable its "main" archive in /etc/apt/sources.list.',
  },
  {
    pattern: /Could not get lock|is another process using it/,
    remedy:
      'Another package manager is at work: wait until it has ended and run the command again.',
  },
  {
    pattern: /dpkg was interrupted/,
    remedy:
      'An earlier package installation was interrupted: run "dpkg --configure -a" as root first.',
  },
  {
    pattern: /EACCES|Permission denied/i,
    remedy:
      'A file cannot be written: the checkout belongs to another user; run the command as that user or as root.',
  },
]

/** @param {string} output @returns {string | undefined} */
export const knownRemedy = (output) => known.find(({ pattern }) => pattern.test(output))?.remedy

/**
 * The remedy for the output of a command that failed, or a general one.
 * @param {string} output
 * @param {string} logFile
 */
export function remedyFor(output, logFile) {
  return knownRemedy(output) ?? `The whole output is in ${logFile}.`
}

/**
 * What to tell the person at the terminal. A full disk or a file of another user can hit any of our
 * own file operations too, and options may be mistyped; everything else is a bug and goes up with its stack.
 * @param {unknown} error
 */
export function asProblem(error) {
  if (error instanceof Problem) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!(error instanceof Error)) throw error
  if (code.startsWith('ERR_PARSE_ARGS')) return new Problem(`${error.message}.`)
  const remedy = knownRemedy(code)
  if (!remedy) throw error
  return new Problem(remedy, { detail: error.message })
}
