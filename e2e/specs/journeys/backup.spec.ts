// SPDX-License-Identifier: MIT
// The control plane's disk is lost: a backup that was made, taken away and looked into brings it back, and
// the nodes serve on meanwhile. On a farm of this test's own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { admin, controlPlaneEnv, stringField } from '../../../scripts/farm/control-plane.ts'
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { WHEN_KILLED } from '../../fixtures/complaints.ts'
import { Api, adminPassword, test as base, expect, type Farm } from '../../fixtures/index.ts'
import { configText } from '../../fixtures/sample.ts'
import { keepPicture } from '../../fixtures/state-picture.ts'
import { BackupsPage } from '../../pages/backups-page.ts'
import { FarmPage } from '../../pages/farm-page.ts'
import { SignInPage } from '../../pages/sign-in-page.ts'

const ADMIN = { username: 'admin', password: adminPassword }
const BEFORE: [string, string] = ['X-Version', 'in the backup']
const AFTER: [string, string] = ['X-Version', 'after it']
/** The agent asks again after ever longer waits. */
const RECONNECTED_WITHIN_MS = 45_000

type Key = { file: string; recipient: string }

/** The key of the backups is on another machine; here, in another folder. */
const test = base.extend<{ elsewhere: string; key: Key }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from it
  elsewhere: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'farmstead-elsewhere-'))
    await use(dir)
    rmSync(dir, { recursive: true })
  },
  key: async ({ elsewhere }, use) => {
    const file = join(elsewhere, 'backup-key.txt')
    const made = await admin(process.env, ['backup-key', '--to', file])
    await use({ file, recipient: stringField(made, 'recipient') ?? '' })
  },
  farmOptions: async ({ key }, use) =>
    use({
      nodes: 1,
      env: () => ({
        FARMSTEAD_BACKUP_RECIPIENTS: key.recipient,
        FARMSTEAD_BACKUP_EVERY_HOURS: '0',
      }),
    }),
})

/** Of the operator on the control plane's machine. */
function command({ home, ports }: Farm, words: string[]): Promise<unknown> {
  const [dataDir, consoleCopy] = [join(home, 'control'), join(home, 'console')]
  return admin(controlPlaneEnv({ dataDir, consoleCopy, ports }), words)
}

test('a backup is made, verified elsewhere, and put back; nothing is pushed before somebody says so', async ({
  page,
  freshFarm: farm,
  elsewhere,
  key,
  provokes,
}) => {
  // The control plane is stopped while its page is open, and sessions are not in a backup.
  provokes(WHEN_KILLED, /^401 /)
  const backups = new BackupsPage(page)
  const farmPage = new FarmPage(page)
  const edge = farm.node('edge-1')
  const file = join(elsewhere, 'control.age')
  const api = new Api(farm.consoleUrl)
  await api.setUp({ token: farm.setupToken ?? '', ...ADMIN })
  await page.context().addCookies(api.storageState.cookies)
  await api.rollOut(await api.saveVersion(configText(farm.siteDir, { header: BEFORE })))
  await expect(edge).toBeServing('/', { header: BEFORE })

  await test.step('it is made by a button, and taken away', async () => {
    await page.goto(`${farm.consoleUrl}/settings/backups`)
    await expect(page.getByText('No backup yet')).toBeVisible()
    await expect(page.getByText(key.recipient)).toBeVisible()
    await backups.make()
    await expect(backups.rows.first()).toShowState('Done')
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await backups.download(file)
  })

  await test.step('who has the key can look into it', async () => {
    const found = await command(farm, ['verify-backup', file, '--identity', key.file])
    expect(found).toMatchObject({ createdAt: expect.stringMatching(/^20/) })
  })

  await test.step('put back, the farm serves on what came after it, and gets nothing', async () => {
    await api.rollOut(await api.saveVersion(configText(farm.siteDir, { header: AFTER })))
    await expect(edge).toBeServing('/', { header: AFTER })
    await farm.controlPlane.stop()
    await command(farm, ['restore', file, '--identity', key.file, '--yes', '--replace'])
    farm.controlPlane.start()
    await expect.poll(() => api.isUp()).toBe(true)
    await expect(api.nodes()).toBeRefused({ status: 401, code: 'not_signed_in' })
    await expect(edge).toBeServing('/', { header: AFTER })
  })

  await test.step('every page says so, until somebody says that this one is to go on', async () => {
    await page.goto(farm.consoleUrl)
    await new SignInPage(page).signIn(ADMIN.username, ADMIN.password)
    await expect(backups.notice).toContainText('nodes get nothing until you confirm')
    await expect(backups.notice).toContainText('All of the 1 node reported since', {
      timeout: RECONNECTED_WITHIN_MS,
    })
    await keepPicture(page, test.info(), 'restored-and-waiting')
    await backups.goOn.click()
    await expect(backups.confirm).toBeRefused({ saying: /no other control plane/ })
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await page.getByLabel('No other control plane of these nodes is running').check()
    await backups.confirm.click()
    await expect(backups.notice).toHaveCount(0)
  })

  await test.step('the next rollout reaches the node again', async () => {
    await api.signIn(ADMIN)
    await farmPage.open()
    await expect(farmPage.row('edge-1')).toShowState('Connected')
    await api.rollOut(await api.saveVersion(configText(farm.siteDir), 'After the restore'))
    await expect(edge).toBeServing('/', { header: [AFTER[0], null] })
    await expect(farmPage.row('edge-1')).toShowState('In sync')
  })
})
