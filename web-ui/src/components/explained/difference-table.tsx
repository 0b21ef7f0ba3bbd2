// SPDX-License-Identifier: MIT
// In what two answers to one URL differ, side by side.
import { ScrollBox } from '../scroll-box.tsx'
import classes from './explained.module.css'
import type { Difference } from './explained-words.ts'

type Props = { url: string; items: readonly Difference[] }

export const DifferenceTable = ({ url, items }: Props) => (
  <ScrollBox label={`What changes for ${url}`}>
    <table className="grid">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Now</th>
          <th scope="col">With this text</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ what, before, after }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>
              <Value text={before} isGone />
            </td>
            <td>
              <Value text={after} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
)

const Value = ({ text, isGone = false }: { text: string; isGone?: boolean }) =>
  text === '' ? (
    <span className={classes.none}>none</span>
  ) : (
    <span className={isGone ? classes.before : classes.value}>{text}</span>
  )
