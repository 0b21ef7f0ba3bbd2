// SPDX-License-Identifier: MIT
// Who a node is, from its first token to its way back, on a farm of this test's own: what it does to
// identities nobody else should meet.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { ManagedProcess } from '../../../scripts/farm/managed-process.ts'
import { nodeBinary } from '../../../scripts/setup/paths.mjs'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { Api, adminPassword, expect, type Farm, type FarmNode, test } from '../../fixtures/index.ts'
import { runJoin } from '../../fixtures/joining.ts'
import { editOnMachine } from '../../fixtures/machine.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { NodePage } from '../../pages/node-page.ts'
import { RolloutPage } from '../../pages/rollout-page.ts'
import { SignInPage } from '../../pages/sign-in-page.ts'

/** A refused process asks again every 30 s, so the kept one hears of it within that. */
const ASKED_AGAIN_WITHIN_MS = 45_000
const JOURNEY_WITHIN_MS = 300_000

async function signIn(page: Page, farm: Farm): Promise<void> {
  await new SignInPage(page).setUp(farm.setupLink ?? '', 'admin', adminPassword)
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
}

/** The same state folder on "another machine". */
function copyOf(node: FarmNode, farm: Farm): ManagedProcess {
  const stateDir = join(farm.home, 'copy')
  cpSync(node.stateDir, stateDir, { recursive: true })
  return new ManagedProcess(
    {
      name: 'copy',
      command: nodeBinary,
      args: ['run', '--state', stateDir, '--policy', node.policyFile],
      env: process.env,
      logFile: join(farm.home, 'logs/copy.log'),
      pidFile: join(farm.home, 'run/copy.pid'),
    },
    () => {},
  )
}

test('a node is enrolled, looked into, changed by hand, cloned, revoked, and let back in', async ({
  page,
  freshFarm: farm,
  provokes,
}) => {
  test.setTimeout(JOURNEY_WITHIN_MS)
  // What was changed by hand is decided on, and asked for once more.
  provokes(/^409 .*\/drift$/)
  const farmPage = new FarmPage(page)
  const node = new NodePage(page)
  const rollout = new RolloutPage(page)
  const edge1 = farm.node('edge-1')
  await signIn(page, farm)

  await test.step('the console gives the whole command, and sees the machine join', async () => {
    await farmPage.open()
    await page.getByRole('link', { name: 'Add a node' }).click()
    await page.getByRole('textbox', { name: /Labels/ }).fill('rack=b2')
    await page.getByRole('button', { name: 'Make a token for 1 node' }).click()
    const command = await node.command()
    expect(command).toContain(`join ${farm.agentUrl} --token fst_`)
    await expect(page.getByText('Waiting for the node…')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await runJoin(command, { ...edge1, stateDir: join(farm.home, 'nodes/extra') }, [
      '--name',
      'extra',
    ])
    await expect(page.getByText('extra has joined')).toBeVisible()
    await expect(page.getByText('It is not running yet')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Tokens, table' })).toContainText('1 of 1 use')
    await expect(
      runJoin(command, { ...edge1, stateDir: join(farm.home, 'nodes/another') }, [
        '--name',
        'another',
      ]),
    ).rejects.toThrow(/has been used/)
  })

  await test.step('its page tells who it is, of its machine and its log', async () => {
    await farmPage.open()
    await farmPage.openNode('edge-1')
    await expect(node.panel('Identity')).toContainText('Mutual TLS')
    await expect(node.panel('Identity')).toContainText('in 29 d')
    await expect(node.panel('Machine')).toContainText(/of \d+ CPUs? busy/)
    await expect(node.panel('Disks of the roots, table')).toContainText(farm.siteDir)
    await node.button('Ask the node').click()
    await expect(node.panel('Error log of edge-1')).toContainText(`agent: connected to`)
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('a change with errors is never served, and says where', async () => {
    editOnMachine(edge1, '"hosts": ["*"]', '"hostz": ["*"]')
    await expect(node.panel('Changed on its machine')).toContainText('it has errors')
    await expect(node.panel('Changed on its machine')).toContainText('/sites/0/hostz')
    await expect(node.button('Keep it as a new version')).toBeDisabled()
    await expect(edge1).toBeServing('/')
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('a good one becomes a version, and rolls out to all', async () => {
    editOnMachine(edge1, '"hostz"', '"hosts"')
    await expect(node.panel('Changed on its machine')).toHaveCount(0)
    editOnMachine(edge1, 'max-age=60', 'max-age=8')
    await expect(node.panel('Changed on its machine')).toShowState('Served')
    await node.button('Keep it as a new version').click()
    await page.getByLabel('Message').fill('Found at night')
    await node.confirm('Save as a new version of default')
    await expect(page.getByText('Kept as default v2')).toBeVisible()
    await page.getByRole('link', { name: 'New rollout of v2' }).click()
    await page.getByText('All at once', { exact: true }).click()
    await page.getByRole('button', { name: /^Start rollout to/ }).click()
    for (const { name } of farm.nodes) await expect(rollout.task(name)).toShowState('Done')
    const served: [string, string] = ['Cache-Control', 'public, max-age=8']
    for (const each of farm.nodes) await expect(each).toBeServing('/', { header: served })
  })

  await test.step('two processes with one key: the operator keeps one', async () => {
    const edge3 = farm.node('edge-3')
    const copy = copyOf(edge3, farm)
    copy.start()
    await farmPage.open()
    await farmPage.openNode('edge-3')
    await expect(page.getByText('More than one process says it is edge-3')).toBeVisible()
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await copy.stop()
    const processes = page.getByRole('list', { name: 'Processes that say they are edge-3' })
    await expect(processes.getByRole('listitem')).toHaveCount(2)
    const own = await livingOne(farm, 'edge-3', Date.now())
    await node.button(new RegExp(own.slice(0, 8))).click()
    await node.confirm(/^Keep/)
    await expect(page.getByText(/is kept as edge-3/)).toBeVisible()
    await expect(node.panel('Sync')).toShowState('In sync', { timeout: ASKED_AGAIN_WITHIN_MS })
    rmSync(join(farm.home, 'copy'), { recursive: true })
  })

  await test.step('revoked, it serves on and is not listened to', async () => {
    await farmPage.open()
    await farmPage.openNode('edge-2')
    await node.button('Revoke identity').click()
    await expect(page.getByRole('dialog')).toContainText('goes on serving')
    await node.confirm('Revoke the identity of 1 node')
    await expect(page.getByText('The identity of edge-2 is revoked')).toBeVisible()
    await expect(farm.node('edge-2')).toBeServing('/')
    await expect(node.panel('Identity')).toContainText('Revoked')
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })

  await test.step('a new token lets it back in, as itself', async () => {
    const edge2 = farm.node('edge-2')
    await node.button('Make a token to let it back in').click()
    await node.confirm('Make a token for edge-2')
    const command = await node.command()
    expect(command).toContain('--rejoin')
    await edge2.process.stop()
    await runJoin(command, edge2)
    await expect(page.getByText('edge-2 has joined again')).toBeVisible()
    edge2.process.start()
    await expect(edge2).toBeServing('/')
    await page.keyboard.press('Escape')
    await expect(node.panel('Identity')).toContainText('Mutual TLS')
    await expect(node.panel('Sync')).toShowState('In sync')
    await expect(page.getByText('The identity of edge-2 is revoked')).toHaveCount(0)
  })
})

/** Of two processes on one machine: the one that still says hello. */
async function livingOne(farm: Farm, name: string, since: number): Promise<string> {
  const api = new Api(farm.consoleUrl)
  await api.signIn({ username: 'admin', password: adminPassword })
  let living = ''
  const look = async () => {
    const { clone } = await api.node(name)
    const heard = clone?.incarnations.find((one) => Date.parse(one.lastSeenAt) > since)
    living = heard?.incarnation ?? ''
    return living
  }
  await expect.poll(look, { timeout: ASKED_AGAIN_WITHIN_MS }).not.toBe('')
  return living
}
