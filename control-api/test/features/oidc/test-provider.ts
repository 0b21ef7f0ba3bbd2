// SPDX-License-Identifier: MIT
// The identity provider of a test, which ends with it.
import { onTestFinished, vi } from 'vitest'
import { type Options, openProvider, type TestProvider } from './provider.ts'

export { CLIENT, otherKey, type TestProvider } from './provider.ts'

export async function startProvider(options: Options): Promise<TestProvider> {
  // It says at length that it is not set up for production.
  for (const method of ['info', 'warn'] as const) {
    vi.spyOn(console, method).mockImplementation(() => {})
  }
  const provider = await openProvider(options)
  onTestFinished(provider.close)
  return provider
}
