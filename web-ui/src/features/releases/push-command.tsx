// SPDX-License-Identifier: MIT
import { CopyField } from '../../components/copy-field.tsx'

/** Files come from where they were built, so this page only says how. */
export const PushCommand = ({ name }: { name: string }) => (
  <CopyField label="Command" value={`farmctl releases push ${name} public/ -m "why"`} />
)
