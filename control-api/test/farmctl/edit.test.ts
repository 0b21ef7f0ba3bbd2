// SPDX-License-Identifier: MIT
// With real editors: small shell scripts.
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, type Farmctl, farmctl, siteText } from './helper.ts'

async function withConfig(): Promise<Farmctl> {
  const farm = await farmctl()
  farm.file('default.jsonc', siteText(8101))
  await farm.run(['apply', '-f', 'default.jsonc', '--yes', '-m', 'The first'])
  return farm
}

function editor({ file, home }: Farmctl, script: string) {
  const path = join(home, file('editor', `#!/bin/sh\n${script}\n`))
  chmodSync(path, 0o755)
  return { EDITOR: path }
}

const keptFile = (stderr: string) => /kept in (\S+)/.exec(stderr)?.[1] ?? ''

describe('edit', { timeout: FARMCTL_TEST_MS }, () => {
  test('saves what the editor wrote as the draft', async () => {
    const farm = await withConfig()
    const env = editor(farm, `sed -i 's/8101/8102/' "$1"`)
    const { code, stdout, stderr } = await farm.run(['edit', 'default'], '', env)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/The draft of default is saved/)
    expect((await farm.run(['export', 'default', 'draft'])).stdout).toBe(siteText(8102))
    expect((await farm.run(['export', 'default'])).stdout).toBe(siteText(8101))
    const diff = await farm.run(['diff', 'default', '--exit-code'])
    expect(diff.code).toBe(1)
    expect(diff.stdout).toContain('+  "listen": [{ "port": 8102 }],')
  })

  test('makes a version of it with --message', async () => {
    const farm = await withConfig()
    const env = editor(farm, `sed -i 's/8101/8102/' "$1"`)
    expect((await farm.run(['edit', 'default', '-m', 'Another port'], '', env)).code).toBe(0)
    expect((await farm.run(['export', 'default', '2'])).stdout).toBe(siteText(8102))
    expect((await farm.run(['diff', 'default', '1'])).stdout).toContain('"port": 8102')
    const back = await farm.run(['restore', 'default', '1', '-m', 'Too much'])
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('version 3')])
    const importing = ['import', 'default', '-', '-m', 'Theirs']
    expect((await farm.run(importing, siteText(8105))).stdout).toContain('version 4')
    const { items } = (await farm.json('history', 'default')) as { items: { source: string }[] }
    expect(items.map(({ source }) => source)).toEqual(['import', 'revert', 'cli', 'cli'])
  })

  test('does nothing when nothing was changed, or the editor failed', async () => {
    const farm = await withConfig()
    const untouched = await farm.run(['edit', 'default'], '', editor(farm, 'true'))
    expect([untouched.code, untouched.stdout]).toEqual([0, 'Nothing was changed.\n'])
    const failed = await farm.run(['edit', 'default'], '', editor(farm, 'echo x >> "$1"; exit 3'))
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/ended with 3/)])
    expect(readFileSync(keptFile(failed.stderr), 'utf8')).toBe(`${siteText(8101)}x\n`)
  })

  test('stops when the file was emptied', async () => {
    const farm = await withConfig()
    const env = editor(farm, `printf '\\n' > "$1"`)
    const { code, stdout, stderr } = await farm.run(['edit', 'default', '-m', 'why'], '', env)
    expect([code, stdout]).toEqual([0, 'Nothing was changed.\n'])
    expect(stderr).toBe('The file was emptied, so nothing is done.\n')
    expect((await farm.run(['export', 'default', 'draft'])).stdout).toBe(siteText(8101))
  })

  test('tells errors as places in the file, which it keeps', async () => {
    const farm = await withConfig()
    const env = editor(farm, `sed -i 's/"port"/"prot"/' "$1"`)
    const { code, stderr } = await farm.run(['edit', 'default', '-m', 'why'], '', env)
    expect(code).toBe(2)
    const file = keptFile(stderr)
    expect(stderr).toContain(`${file}:3:`)
    expect(readFileSync(file, 'utf8')).toContain('"prot"')
  })

  test('loses nothing when somebody else was faster', async () => {
    const farm = await withConfig()
    const { service } = farm
    const url = '/api/v1/configs/default/draft'
    const { headers } = await service.admin.inject({ url })
    const theirs = siteText(8101).replace('A site', 'Their site')
    // Held open until the other's change is saved.
    const env = editor(
      farm,
      `touch open; while [ ! -e go-on ]; do sleep 0.1; done; sed -i 's/8101/8103/' "$1"`,
    )
    const { child, ended } = farm.start(['edit', 'default'], env)
    child.stdin?.end()
    await expect.poll(() => existsSync(join(farm.home, 'open')), { timeout: 120_000 }).toBe(true)
    const put = await service.admin.inject({
      method: 'PUT',
      url,
      headers: { 'if-match': String(headers.etag) },
      payload: { text: theirs },
    })
    expect(put.statusCode).toBe(200)
    farm.file('go-on', '')
    const { code, stderr } = await ended
    expect(code).toBe(6)
    expect(stderr).toContain('test-admin changed the draft of default meanwhile:')
    expect(stderr).toContain('+// Their site of one file.')
    expect(readFileSync(keptFile(stderr), 'utf8')).toBe(siteText(8103))
    const merged = /are in (\S+) \(no conflict\)/.exec(stderr)?.[1] ?? ''
    expect(readFileSync(merged, 'utf8')).toBe(theirs.replace('8101', '8103'))
    expect((await farm.run(['export', 'default', 'draft'])).stdout).toBe(theirs)
  })
})
