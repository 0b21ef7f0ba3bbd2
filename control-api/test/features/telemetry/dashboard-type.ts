// SPDX-License-Identifier: MIT
// What a dashboard of Grafana may be, by what Grafana publishes, as a JSON file has it: words where TypeScript has enums.
import type { Dashboard } from '@grafana/schema/dist/esm/raw/dashboard/x/Dashboard_types.gen'

type Plain<T> = T extends string
  ? `${T}`
  : T extends (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? { [Name in keyof T]: Plain<T[Name]> }
      : T
export type DashboardFile = Plain<Dashboard>
