// SPDX-License-Identifier: MIT
import { render, screen } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ScrollBox } from './scroll-box.tsx'

/** There is no layout here: the browser's part is played. */
function boxOf(size: { scrollWidth?: number; scrollHeight?: number }): HTMLElement {
  const sizes = { clientWidth: 100, clientHeight: 100, scrollWidth: 100, scrollHeight: 100 }
  for (const [name, value] of Object.entries({ ...sizes, ...size })) {
    vi.spyOn(Element.prototype, name as 'clientWidth', 'get').mockReturnValue(value)
  }
  class Observer {
    readonly observe: () => void
    constructor(seen: () => void) {
      this.observe = seen
    }
    disconnect() {}
  }
  vi.stubGlobal('ResizeObserver', Observer)
  onTestFinished(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })
  render(
    <ScrollBox label="Things">
      <p>one</p>
    </ScrollBox>,
  )
  return screen.getByRole('region', { name: 'Things' })
}

test('what is too wide for its place is got to by keyboard', () => {
  expect(boxOf({ scrollWidth: 101 })).toHaveAttribute('tabindex', '0')
})

test('so is what is too high', () => {
  expect(boxOf({ scrollHeight: 101 })).toHaveAttribute('tabindex', '0')
})

test('what fits is no stop on the way', () => {
  expect(boxOf({})).not.toHaveAttribute('tabindex')
})
