// SPDX-License-Identifier: MIT
// On a terminal: script(1) makes one.
import { describe, expect, test } from 'vitest'
import { PASSWORD } from '../helper.ts'
import { FARMCTL_TEST_MS, farmctl, type Running, siteText } from './helper.ts'

const WITHIN = { timeout: 120_000 }

async function answer({ child, out }: Running, question: string, typed: string): Promise<void> {
  await expect.poll(() => out.stdout, WITHIN).toContain(question)
  child.stdin?.write(typed)
}

describe('on a terminal', { timeout: FARMCTL_TEST_MS }, () => {
  test('the password is asked for and not shown', async () => {
    const { type, run, url } = await farmctl({ signedIn: false, asProcess: true })
    const login = type(['login', url])
    await answer(login, 'User name: ', 'test-admin\r')
    // Mended as any line: Ctrl-U, an arrow, backspace.
    await answer(login, 'Password: ', `wrong\u0015\u001b[Dx\u007f${PASSWORD}\r`)
    const { code, stdout } = await login.ended
    expect([code, stdout]).toEqual([0, expect.stringContaining('Signed in to')])
    expect(stdout).not.toContain('correct')
    expect((await run(['get', 'nodes'])).code).toBe(0)
  })

  test('a plan is asked about; anything but yes does nothing', async () => {
    const { type, run, file } = await farmctl({ asProcess: true })
    const args = ['apply', '-f', file('default.jsonc', siteText(8101)), '-m', 'why']
    const refused = type(args)
    await answer(refused, 'Do this? [y/N] ', '\r')
    expect(await refused.ended).toMatchObject({ code: 1 })
    expect((await run(['get', 'config', 'default'])).code).toBe(1)
    const agreed = type(args)
    await answer(agreed, 'Do this? [y/N] ', 'y\r')
    expect(await agreed.ended).toMatchObject({ code: 0 })
    expect((await run(['get', 'config', 'default'])).code).toBe(0)
  })

  test('a config’s text steers no terminal, and is in a pipe what it is', async () => {
    const { type, run, file } = await farmctl({ asProcess: true })
    const text = siteText(8101).replace('A site of one file.', 'x\u001b]0;owned\u0007\u202ey')
    const args = ['apply', '-f', file('default.jsonc', text), '-m', 'why\u001b[2J', '--yes']
    const applied = await type(args).ended
    expect(applied).toMatchObject({ code: 0 })
    const typed = ['config', 'export', 'default']
    const shown = [applied.stdout, (await type(typed).ended).stdout]
    for (const stdout of shown) {
      expect(stdout).toContain('x\\u001b]0;owned\\u0007\\u202ey')
      expect(stdout).not.toContain('\u001b]0;')
      expect(stdout).not.toContain('\u202e')
    }
    expect((await run(typed)).stdout).toBe(text)
  })

  test('nor does an error as JSON', async () => {
    const { type, run } = await farmctl({ asProcess: true })
    const args = ['nodes', 'label', 'a\u202eb\u009bc', 'a=b', '--json']
    const { stdout } = await type(args).ended
    expect(stdout).toContain('\\u202e')
    expect(stdout).not.toMatch(/[\u202e\u009b]/)
    expect(JSON.parse((await run(args)).stderr).error.message).toContain('\u202e')
  })

  test('Ctrl-C at a question ends it, and the terminal echoes again', async () => {
    const { type, url } = await farmctl({ signedIn: false, asProcess: true })
    const login = type(['login', url, '--user', 'test-admin'])
    await answer(login, 'Password: ', '\u0003')
    expect(await login.ended).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('Ended.'),
    })
  })
})
