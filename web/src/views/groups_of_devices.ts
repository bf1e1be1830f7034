// Neighbours among many devices that share a row, where there are more devices than rows. Pure.

/** [first, last), by index. */
export interface Group {
  first: number;
  last: number;
}

/** As many neighbours in each as it takes for at most so many groups. */
export function groupsOf(count: number, most: number): Group[] {
  const size = Math.ceil(count / most);
  const groups: Group[] = [];
  for (let first = 0; first < count; first += size) groups.push({ first, last: Math.min(first + size, count) });
  return groups;
}

/** The index in a group of which `size` is largest; of equal ones the first. */
export function largestIn({ first, last }: Group, size: (index: number) => number): number {
  let largest = first;
  for (let index = first + 1; index < last; ++index) if (size(index) > size(largest)) largest = index;
  return largest;
}
