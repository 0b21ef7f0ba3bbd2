// SPDX-License-Identifier: MIT
import { t } from '../../languages/t.ts'
import { formatDateTime } from '../../lib/time.ts'
import classes from './chart.module.css'

export type TableColumn = {
  name: string
  /** Of the step with this index, as it is read. */
  cell: (step: number) => React.ReactNode
}
type Props = {
  label: string
  /** Unix seconds, the start of each step. */
  times: readonly number[]
  columns: readonly TableColumn[]
}

/** The chart's twin: the same numbers, newest first. */
export function ChartTable({ label, times, columns }: Props) {
  const steps = times.map((at, step) => ({ at, step })).reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className={classes.table} aria-label={t('{label}: table', { label })} tabIndex={0}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Step from')}</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col" className="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map(({ at, step }) => (
            <tr key={at}>
              <td>{formatDateTime(at * 1000)}</td>
              {columns.map(({ name, cell }) => (
                <td key={name} className="num">
                  {cell(step)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
