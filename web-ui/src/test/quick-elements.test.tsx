// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'

const stackOf = (element: object): unknown => Reflect.get(element, '_debugStack')

test('React keeps no stack of calls for each element', () => {
  // Where React keeps none at all any more, quick-elements.ts may go.
  expect(stackOf(<p>one</p>)).toBeInstanceOf(Error)
  expect(stackOf(<p>one</p>)).toBe(stackOf(<p>other</p>))
})
