// SPDX-License-Identifier: MIT
// Every screen as each role: each shows what the role may see, and of the rest which permission it needs. None asks the
// control plane for what it knows it may not have, for the browser would complain of each refusal (fixtures/complaints.ts).
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, test } from '../../fixtures/index.ts'
import { furnish, openScreen, screens } from '../../fixtures/screens.ts'

for (const person of ['viewer', 'operator', 'approver', 'scoped'] as const) {
  test(`every screen shows the ${person} what they may see, and says why not the rest`, async ({
    admin,
    farm,
    pageAs,
    provokes,
  }) => {
    await furnish(admin, farm)
    // Whose node or rollout it is, and how far a plan reaches, only the control plane knows.
    if (person === 'scoped') provokes(/^404 /, /^403 \/api\/v1\/rollouts$/)
    const page = await pageAs(person)
    await page.goto('/')
    for (const screen of await screens(admin)) {
      await test.step(screen.name, async () => {
        await openScreen(page, screen)
        const main = page.getByRole('main')
        await expect.soft(main.getByText(/Something broke|went wrong/), screen.name).toHaveCount(0)
        // What will be so on another try has no button for one.
        const again = main.getByRole('button', { name: 'Try again' })
        await expect.soft(again, screen.name).toHaveCount(0)
      })
    }
    expect.soft(await wrongWithLooks(page)).toEqual([])
  })
}
