// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { asFile, comparisonFile } from '../../../../test/comparison-sample.ts'
import { type GivenFile, MOST_BYTES, readReport, Unreadable } from './report-file.ts'

const bytesOf = (bytes: Uint8Array<ArrayBuffer>): GivenFile => ({
  ...{ name: 'c.json', size: bytes.length },
  arrayBuffer: async () => bytes.buffer,
})

async function refusal(file: GivenFile): Promise<string> {
  try {
    await readReport(file)
  } catch (error) {
    if (error instanceof Unreadable) return `${error.title}. ${error.message}`
    throw error
  }
  throw new Error('It was read.')
}

test('what farmctl wrote is read, and what the console does not know is left behind', async () => {
  const report = await readReport(asFile({ ...comparisonFile(), later: true }))
  const { kind, version, ...rest } = comparisonFile()
  expect([kind, version, report]).toEqual(['farmstead.comparison', 1, rest])
})

// PowerShell's > writes UTF-16; editors put a mark of order before UTF-8.
describe('a file may have been written by another shell', () => {
  const text = JSON.stringify(comparisonFile({ host: null, paths: 31 }))
  const utf16 = (isLittle: boolean) => {
    const bytes = new DataView(new ArrayBuffer(2 * text.length + 2))
    for (const [i, one] of [...`\uFEFF${text}`].entries()) {
      bytes.setUint16(2 * i, one.charCodeAt(0), isLittle)
    }
    return new Uint8Array(bytes.buffer)
  }
  test.each([
    ['UTF-16, little end first', utf16(true)],
    ['UTF-16, big end first', utf16(false)],
    ['UTF-8 with a mark', new TextEncoder().encode(`\uFEFF${text}\r\n`)],
  ])('%s', async (_, bytes) => {
    expect((await readReport(bytesOf(bytes))).paths).toBe(31)
  })
})

describe('a file that is none says why', () => {
  const whole = JSON.stringify(comparisonFile())
  const { kind: _kind, version: _version, answers: _answers, ...older } = comparisonFile()
  const changed = (change: object) => ({ ...comparisonFile(), ...change })
  test.each([
    ['empty', '', /^c is empty/],
    ['cut off', whole.slice(0, 400), /^c ends too early/],
    ['the Markdown', '# Before and after, 2026', /^c is not JSON\. It is the report to read/],
    ['the page', '<!doctype html>', /^c is not JSON\. It is the report to read/],
    ['other text', 'hello', /^c is not JSON\. It was changed/],
    ['a number', '7', /^c is not a comparison of two servers/],
    ['null', 'null', /^c is not a comparison of two servers/],
    ['another tool’s', { log: {} }, /^c is not a comparison of two servers/],
    ['of farmctl load', { objectives: [] }, /It is a report of farmctl load/],
    ['from before', older, /^c is from an older farmctl/],
    ['of a later version', changed({ version: 2 }), /another version.* 2, .* reads 1/],
    ['without a list', changed({ differences: {} }), /^c was changed\. “differences”/],
    ['with a hole in it', changed({ answers: [{ path: '/' }] }), /“answers\[0\]\.gzip”/],
    ['of no moment', changed({ startedAt: 'yesterday' }), /“startedAt”/],
    ['of no server', changed({ servers: { old: '--x', new: 'http://a' } }), /“servers\.old”/],
    ['that differs more often than it asked', changed({ paths: 1 }), /“paths”/],
  ])('%s', async (_, content, why) => {
    expect(await refusal(asFile(content, 'c'))).toMatch(why)
  })

  test('one that is too large is not even opened', async () => {
    const arrayBuffer = () => Promise.reject(new Error('was opened'))
    const large = { name: 'c', size: MOST_BYTES + 1, arrayBuffer }
    expect(await refusal(large)).toMatch(/^c is too large.*128 MiB/)
    expect(await refusal({ ...large, size: 1 })).toMatch(/^c could not be read/)
  })
})
