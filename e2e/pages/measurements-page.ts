// SPDX-License-Identifier: MIT
import type { Download, Locator, Page } from '@playwright/test'

export class MeasurementsPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async open(search = ''): Promise<void> {
    await this.page.goto(`/measurements${search}`)
  }

  panel(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true })
  }

  drawing(name: string): Locator {
    return this.panel(name).getByRole('group', { name: new RegExp(`^${name}: chart`) })
  }

  async choose(control: string, option: string): Promise<void> {
    const radios = this.page.getByRole('radiogroup', { name: control, exact: true })
    await radios.getByText(option, { exact: true }).click()
  }

  async save(name: string, what: 'CSV' | 'PNG'): Promise<Download> {
    const coming = this.page.waitForEvent('download')
    await this.panel(name)
      .getByRole('button', { name: new RegExp(`as ${what}$`) })
      .click()
    return await coming
  }

  /** From a third of the drawing to two thirds. */
  async dragOver(drawing: Locator): Promise<void> {
    await drawing.scrollIntoViewIfNeeded()
    const box = await drawing.boundingBox()
    if (box === null) throw new Error('the drawing is not there')
    const y = box.y + box.height / 2
    await this.page.mouse.move(box.x + box.width / 3, y)
    await this.page.mouse.down()
    await this.page.mouse.move(box.x + (box.width * 2) / 3, y, { steps: 5 })
    await this.page.mouse.up()
  }
}
