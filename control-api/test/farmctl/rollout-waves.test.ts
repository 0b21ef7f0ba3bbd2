// SPDX-License-Identifier: MIT
// farmctl rollout by waves.
import { describe, expect, test } from 'vitest'
import { FARMCTL_TEST_MS, type Farmctl, siteText } from './helper.ts'
import { farmOf, start } from './rollout-farm.ts'

describe('rollout by waves', { timeout: FARMCTL_TEST_MS }, () => {
  const byWaves = ['--waves', '1,100%', '--soak', '1h', '--gate', 'none']
  const untilWatched = async ({ json }: Farmctl) => {
    const phase = async () => ((await json('rollout', 'status')) as { phase: string }).phase
    await expect.poll(phase, { timeout: 120_000 }).toBe('soaking')
  }

  test('is planned with its waves and digest; another plan than that does not start', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const planned = await farm.run(['rollout', 'plan', 'default', ...byWaves])
    expect([planned.code, planned.stderr]).toEqual([0, ''])
    expect(planned.stdout).toMatch(/^default@1: 2 of 2 nodes change, in 2 waves/m)
    expect(planned.stdout).toMatch(/^2 +node-\d +yes +- +new text$/m)
    const [digest = ''] = /sha256:[0-9a-f]{64}/.exec(planned.stdout) ?? []
    const another = await start(farm, '--plan', digest)
    expect([another.code, another.stderr]).toEqual([6, expect.stringMatching(/plan/)])
    const same = await start(farm, ...byWaves, '--plan', digest, '--no-wait')
    expect([same.code, same.stdout]).toEqual([0, expect.stringMatching(/has begun/)])
  })

  test('says its probes, the time of each step and the fast path, planned and under way', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const probed = ['--probe', 'www.example.org/', '--probe', '/img/logo.png']
    const planned = await farm.run(['rollout', 'plan', 'default', ...byWaves, ...probed])
    expect(planned.stdout).toMatch(/^Probes: www\.example\.org\/ \/img\/logo\.png$/m)
    expect(planned.stdout).not.toMatch(/Fast path/)
    await start(farm, ...byWaves, ...probed, '--no-wait')
    const { stdout } = await farm.run(['rollout', 'status'])
    expect(stdout).toMatch(/^Probes: www\.example\.org\/ \/img\/logo\.png$/m)
    expect(stdout).toMatch(
      /^Each node: checked within 10 s, running within 30 s, confirmed within 60 s$/m,
    )
  })

  test('of a version that succeeded not long ago takes the fast path, and says so', async () => {
    const { farm } = await farmOf('node-1')
    await start(farm)
    const again = await farm.run(['rollout', 'plan', 'default@1', '--careful'])
    expect(again.stdout).toMatch(/^Fast path: .* gates that only pause are left out\.$/m)
    expect(again.stdout).not.toMatch(/firstByteP99/)
  })

  test('shows its wave, and goes past it with a reason only', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    const quick = farm.file('strategy.json', '{ "minHealthySeconds": 0, "gates": [] }')
    await start(farm, '--strategy', quick, ...byWaves, '--no-wait')
    await untilWatched(farm)
    const { stdout } = await farm.run(['rollout', 'status'])
    expect(stdout).toMatch(/^1 +1\/1 +soaking, \d+ of 3600 s$/m)
    expect(stdout).toMatch(/^2 +0\/1 +its turn has not come$/m)
    expect((await farm.run(['rollout', 'skip-gate'])).code).toBe(1)
    await farm.run(['rollout', 'skip-gate', '--reason', 'Nobody visits'])
    const watched = await farm.run(['rollout', 'pause', '--reason', 'Lunch'])
    expect(watched.stdout).toMatch(/^paused: .*Lunch/m)
    expect((await farm.run(['rollout', 'resume'])).stdout).toMatch(/^running: /m)
    expect((await farm.run(['rollout', 'freeze', '--yes'])).stdout).toMatch(/^frozen: /m)
  })

  test('is taken back on request', async () => {
    const { farm } = await farmOf('node-1', 'node-2')
    await start(farm)
    farm.file('default.jsonc', siteText(8102))
    await farm.run(['apply', '-f', 'default.jsonc', '--yes', '-m', 'Another port'])
    const quick = farm.file('strategy.json', '{ "minHealthySeconds": 0 }')
    await start(farm, '--strategy', quick, ...byWaves, '--no-wait')
    await untilWatched(farm)
    await farm.run(['rollout', 'revert', '--reason', 'Wrong port', '--yes'])
    const { code, stderr } = await farm.run(['rollout', 'watch'])
    expect([code, stderr]).toEqual([3, expect.stringMatching(/is reverted\.$/m)])
  })
})
