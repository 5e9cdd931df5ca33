/** Where text comes from: a terminal, or a pipe. */
export type TerminalInput = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }

/** Where text goes to. */
export type TerminalOutput = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined }

/** What the command is connected to; `process` is one. */
export interface Terminal {
  readonly stdin: TerminalInput
  readonly stdout: TerminalOutput
  readonly stderr: TerminalOutput
  readonly env: Readonly<Record<string, string | undefined>>
}
