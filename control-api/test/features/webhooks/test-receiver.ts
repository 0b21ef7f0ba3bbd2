// SPDX-License-Identifier: MIT
// The receiver of a test, which ends with it.
import { onTestFinished } from 'vitest'
import { openReceiver } from './receiver.ts'

export { isSignedWith, ok, status } from './receiver.ts'

export async function startReceiver() {
  const receiver = await openReceiver()
  onTestFinished(receiver.close)
  return receiver
}
