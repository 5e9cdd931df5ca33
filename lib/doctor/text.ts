const INDENT = ' '.repeat(9)
const WIDTH = 80

/** The text without anything that a terminal interprets: visible ASCII and spaces. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}

/** Breaks a text into lines of at most 80 characters; all but the first are indented by nine. */
export function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    const longer = line === '' ? word : `${line} ${word}`
    const room = lines.length === 1 ? WIDTH : WIDTH - INDENT.length
    if (longer.length <= room || line === '') lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.join(`\n${INDENT}`)
}

/** A number with its noun: "1 day", "2 days". */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}
