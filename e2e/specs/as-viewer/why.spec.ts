// SPDX-License-Identifier: MIT
// Why a URL is answered so: what the config says, and whether the node has the file.
import { expect, asViewer as test } from '../../fixtures/index.ts'
import { keepPicture } from '../../fixtures/state-picture.ts'

test('an answer is explained, and the node says whether its file is there', async ({
  page,
  farm,
  admin,
}, info) => {
  const { id } = await admin.node('edge-1')
  const { url } = farm.node('edge-1')
  await page.goto(`/nodes/${id}`)
  const panel = page.getByRole('region', { name: 'Why this answer?' })
  const ask = async (path: string) => {
    await panel.getByRole('textbox', { name: 'URL' }).fill(`${url}${path}`)
    await panel.getByRole('button', { name: 'Explain' }).click()
  }
  await ask('/robots.txt')
  await expect(panel.getByText('The node says that the file is there.')).toBeVisible()
  await keepPicture(page, info, 'file-there')
  await ask('/no/such/page')
  await expect(panel.getByText(/answers 404 just now: the file is not there/)).toBeVisible()
  await keepPicture(page, info, 'file-missing')
})
