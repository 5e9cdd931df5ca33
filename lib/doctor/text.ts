/** The text without anything that a terminal interprets: visible ASCII and spaces. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}

/** A number with its noun: "1 day", "2 days". */
export function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`
}
