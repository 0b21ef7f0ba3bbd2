// SPDX-License-Identifier: MIT
// For its warnings React keeps where each element was made: a stack of calls for each of the first ten thousand since it last
// began to count. A test of a screen makes some tens of thousands. A warning still says of which component it is.
import * as React from 'react'

/** As React's development build counts them. */
type Counting = { recentlyCreatedOwnerStacks?: number }
const INTERNALS = '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'
const MOST = 10_000

const counting = (React as unknown as Record<string, Counting | undefined>)[INTERNALS]
if (counting) {
  Object.defineProperty(counting, 'recentlyCreatedOwnerStacks', { get: () => MOST, set() {} })
}
