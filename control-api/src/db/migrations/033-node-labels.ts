// SPDX-License-Identifier: MIT
// Which nodes have a label, by an index: a selector that few nodes match need not look at all of them.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

// nodes.labels stays what is written; the triggers follow it.
const statements = [
  `create table node_labels (
     key text not null,
     value text not null,
     node_id text not null references nodes (id) on delete cascade,
     primary key (key, value, node_id)
   ) strict, without rowid`,
  `create index node_labels_by_node on node_labels (node_id)`,

  `create trigger node_labels_of_new after insert on nodes begin
     insert into node_labels (key, value, node_id)
       select label.key, label.value, new.id from json_each(new.labels) label;
   end`,
  `create trigger node_labels_of_changed after update of labels on nodes begin
     delete from node_labels where node_id = new.id;
     insert into node_labels (key, value, node_id)
       select label.key, label.value, new.id from json_each(new.labels) label;
   end`,

  `insert into node_labels (key, value, node_id)
     select label.key, label.value, nodes.id from nodes, json_each(nodes.labels) label`,
]
