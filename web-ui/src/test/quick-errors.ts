// SPDX-License-Identifier: MIT
// What a query did not find is said with the whole page beside it, printed. While something is waited for, that is each
// look but the last: a sixth of what the tests of screens took. The page is printed once the wait is over.
import { configure, getConfig } from '@testing-library/react'

/** As the library says that such an error is one of many. */
type Waiting = { _disableExpensiveErrorDiagnostics?: boolean }

const { getElementError } = getConfig()

function withoutPage(message: string | null): Error {
  const error = new Error(message ?? '')
  error.name = 'TestingLibraryElementError'
  return error
}

configure({
  getElementError: (message, container) =>
    (getConfig() as Waiting)._disableExpensiveErrorDiagnostics
      ? withoutPage(message)
      : getElementError(message, container),
})
