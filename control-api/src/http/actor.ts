// SPDX-License-Identifier: MIT
import type { SignedInUser } from './app-types.ts'

/** Whose name stands beside what a request changed. */
export const actorOf = ({ user }: { user: Pick<SignedInUser, 'username'> | null }): string =>
  user?.username ?? ''
