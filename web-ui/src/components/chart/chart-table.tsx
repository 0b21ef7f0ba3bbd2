// SPDX-License-Identifier: MIT
import { formatCount } from '../../lib/format.ts'
import { formatDateTime } from '../../lib/time.ts'
import classes from './chart.module.css'
import type { TimeChartProps } from './types.ts'

/** The chart's twin: the same numbers, newest first. */
export function ChartTable({ label, times, series, format, counts }: TimeChartProps) {
  const rows = times.map((at, index) => ({ at, index })).reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className={classes.table} aria-label={`${label}: table`} tabIndex={0}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">Step from</th>
            {series.map((one) => (
              <th key={one.name} scope="col" className="num">
                {one.name}
              </th>
            ))}
            {counts !== undefined && (
              <th scope="col" className="num">
                Requests
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, index }) => (
            <tr key={at}>
              <td>{formatDateTime(at * 1000)}</td>
              {series.map((one) => (
                <td key={one.name} className="num">
                  {format(one.values[index] ?? null)}
                </td>
              ))}
              {counts !== undefined && (
                <td className="num">
                  {counts[index] == null ? 'no data' : formatCount(counts[index])}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
