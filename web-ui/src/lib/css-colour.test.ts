// SPDX-License-Identifier: MIT
import { afterEach, expect, test, vi } from 'vitest'
import { cssColour } from './css-colour.ts'

const root = document.documentElement.style

afterEach(() => root.removeProperty('color-scheme'))

test('a colour is found out once for each scheme: each time makes the browser look at all styles', () => {
  const probes = vi.spyOn(document.body, 'append')
  root.colorScheme = 'light'
  const light = [cssColour('--fs-tested'), cssColour('--fs-tested')]
  expect(new Set(light).size).toBe(1)
  expect(probes).toHaveBeenCalledTimes(1)
  root.colorScheme = 'dark'
  cssColour('--fs-tested')
  cssColour('--fs-tested')
  expect(probes).toHaveBeenCalledTimes(2)
})
