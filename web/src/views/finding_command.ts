// The table that shows more of a finding, from the command line that the finding names: "cgpu table INPUT idle_hosts
// --where 'cause = io'". Pure.

export interface TableWhere {
  name: string;
  where: string;
}

const TABLE = /^cgpu table INPUT (\w+)/;
const WHERE = / --where '([^']*)'/;
const RANK = / --rank (\d+)/;
const CAUSE = /^cause = (\w+)$/;

/** null where the command shows no table of this profile. */
export function tableOfCommand(command: string): TableWhere | null {
  const name = TABLE.exec(command)?.[1];
  if (!name) return null;
  const rank = RANK.exec(command)?.[1];
  const conditions = [WHERE.exec(command)?.[1], rank && `rank = ${rank}`].filter(Boolean);
  return { name, where: conditions.join(" and ") };
}

/** The cause of idle time that the table is limited to. */
export const causeOf = (table: TableWhere | null): string | null => CAUSE.exec(table?.where ?? "")?.[1] ?? null;
