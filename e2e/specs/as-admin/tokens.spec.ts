// SPDX-License-Identifier: MIT
// A program gets a part of what its owner may: shown once, used over REST, and worth nothing when revoked.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { Api, adminPassword, expect, asAdmin as test } from '../../fixtures/index.ts'
import { TokensPage } from '../../pages/tokens-page.ts'

test('a token is shown once, carries what was chosen, and ends when it is revoked', async ({
  page,
  farm,
}) => {
  const tokens = new TokensPage(page)
  await tokens.open()
  const secret = await tokens.make('nightly report', {
    ...{ permissions: ['nodes:read', 'metrics:read'], password: adminPassword },
  })
  const program = new Api(farm.consoleUrl, { token: secret })

  await test.step('it is shown until somebody says they have it, and never again', async () => {
    expect(secret).toMatch(/^fsa_/)
    expect.soft(await wrongWithLooks(page)).toEqual([])
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.reload()
    await expect(tokens.row('nightly report')).toShowState('Good')
    await expect(page.getByText(secret)).toHaveCount(0)
  })

  await test.step('it reads nodes over REST, and may do nothing else', async () => {
    await expect(tokens.row('nightly report')).toContainText('Never')
    expect((await program.nodes()).map(({ name }) => name)).toEqual(
      farm.nodes.map((one) => one.name),
    )
    await expect(program.call.GET('/api/v1/configs')).toBeRefused({
      ...{ status: 403, code: 'not_allowed', saying: /the token "nightly report" does not carry/ },
    })
    await page.reload()
    await expect(tokens.row('nightly report')).toContainText('from 127.0.0.1')
  })

  await test.step('revoked, it is nobody', async () => {
    await tokens.revoke('nightly report')
    await expect(tokens.row('nightly report')).toHaveCount(0)
    await expect(program.nodes()).toBeRefused({ status: 401, code: 'wrong_token' })
  })
})
