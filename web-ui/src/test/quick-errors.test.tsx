// SPDX-License-Identifier: MIT
import { render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'

test('what is not there is said with the page, at once and after it was waited for', async () => {
  render(<p>what is there</p>)
  expect(() => screen.getByText('what is not')).toThrow(/what is not[\s\S]*<p>[\s\S]*what is there/)
  await expect(screen.findByText('what is not', {}, { timeout: 60 })).rejects.toThrow(
    /what is not[\s\S]*<p>[\s\S]*what is there/,
  )
})

test('while it is waited for, no page is printed', async () => {
  render(<p>what is there</p>)
  const said: string[] = []
  const look = () => {
    try {
      return screen.getByText('what is not')
    } catch (error) {
      said.push(String(error))
      throw error
    }
  }
  await expect(waitFor(look, { timeout: 60 })).rejects.toThrow('what is there')
  expect(said.length).toBeGreaterThan(1)
  expect(said.join()).not.toContain('what is there')
})
