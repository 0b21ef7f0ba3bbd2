// SPDX-License-Identifier: MIT
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { formatBytes, formatSeconds } from '../lib/format.ts'
import { Quantity } from './quantity.tsx'

test('a number reads well, and is exact when pointed at', () => {
  render(<Quantity of={12_345_678} as={formatBytes} />)
  expect(screen.getByText('11.8 MiB')).toHaveAttribute('title', '12,345,678 B')
})

test('what is exact as it stands says nothing more, nor does what is not there', () => {
  const { container } = render(
    <>
      <Quantity of={512} as={formatBytes} /> <Quantity of={null} as={formatSeconds} />
    </>,
  )
  expect(container).toHaveTextContent('512 B –')
  expect(container.querySelector('[title]')).toBeNull()
})
