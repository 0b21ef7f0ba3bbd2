// SPDX-License-Identifier: MIT
// The first play of docs/running-the-control-plane.md, in Ansible itself where this machine has it.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { COMPILED } from './compiled.ts'
import { farmctl, joinNode, siteText, watched } from './farmctl/helper.ts'
import { PROGRAMS } from './programs.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/running-the-control-plane.md')
const hasAnsible = spawnSync('ansible-playbook', ['--version']).status === 0
/** Several plays of several commands each, on a machine that may have much else to do. */
const WITHIN_MS = 240_000

/** As on the page, but at once: careful watches for minutes. */
function play(): string {
  const [, text = ''] =
    /## With Ansible[\s\S]*?```yaml\n([\s\S]*?)```/.exec(readFileSync(PAGE, 'utf8')) ?? []
  expect(text).toContain('--careful')
  return text.replace('--careful', '--at-once')
}

async function ansible() {
  const farm = await farmctl()
  const node = await joinNode(farm, 'node-1')
  const { secret }: { secret: string } = await farm.json('tokens', 'create', 'ansible')
  farm.file('farm/configs/default.jsonc', siteText(8101))
  farm.file('play.yml', play())
  farm.file('bin/farmctl', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAMS.farmctl}' "$@"\n`)
  chmodSync(join(farm.home, 'bin/farmctl'), 0o755)
  const vars = {
    ...{ farmstead_url: farm.url, farmstead_token: secret },
    ...{ farm: join(farm.home, 'farm'), config: 'default', reason: 'As in the folder' },
  }
  const run = async () => {
    const args = ['-i', 'localhost,', '-e', JSON.stringify(vars), 'play.yml']
    const env = {
      ...{ HOME: farm.home, LC_ALL: 'C.UTF-8', ANSIBLE_NOCOLOR: '1', ...COMPILED },
      PATH: [join(farm.home, 'bin'), process.env.PATH].join(delimiter),
    }
    const child = spawn('ansible-playbook', args, { cwd: farm.home, env })
    const { code, stdout } = await watched(child).ended
    const changed = Number(/changed=(\d+)/.exec(stdout)?.[1])
    return { isGood: code === 0, changed, stdout }
  }
  return { farm, node, run }
}

test.skipIf(!hasAnsible)(
  'the play rolls out until nodes run it, and then does nothing',
  {
    timeout: WITHIN_MS,
  },
  async () => {
    const { farm, node, run } = await ansible()
    node.conduct = { kind: 'nack', code: 'port_in_use', message: 'Port 8101 is taken.', at: '8101' }
    const refused = await run()
    expect(refused.isGood, refused.stdout).toBe(false)
    // The folder is applied already; the rollout that paused is nobody’s success.
    const paused = await run()
    expect(paused.isGood, paused.stdout).toBe(false)
    expect((await farm.run(['rollout', 'freeze', '--yes'])).code).toBe(0)
    node.conduct = { kind: 'good' }
    const again = await run()
    expect([again.isGood, again.changed], again.stdout).toEqual([true, 1])
    const nothing = await run()
    expect([nothing.isGood, nothing.changed], nothing.stdout).toEqual([true, 0])
    expect(await farm.json('get', 'rollouts')).toMatchObject({ items: { length: 2 } })
  },
)
