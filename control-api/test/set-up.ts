// SPDX-License-Identifier: MIT
// Runs before each file of tests.
import { cheapPasswords } from './cheap-passwords.ts'
import { removeLeft } from './quick-folder.ts'

cheapPasswords()
removeLeft()
