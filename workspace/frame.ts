/** One WebSocket frame. https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
export interface Frame {
  opcode: number;
  payload: Buffer;
}

/** Opcodes that a text-only peer needs. */
export const OPCODES = { text: 1, close: 8, ping: 9, pong: 10 } as const;

/** A whole unmasked frame, as servers send it. */
export function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const head = Buffer.alloc(size);
  head[0] = 0x80 | opcode;
  if (size === 2) head[1] = length;
  else if (size === 4) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** The first frame in what has arrived, and the rest; undefined while it is incomplete. */
export function decodeFrame(bytes: Buffer): { frame: Frame; rest: Buffer } | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)];
  const short = second & 0x7f;
  const head = short === 126 ? 4 : short === 127 ? 10 : 2;
  const masked = (second & 0x80) !== 0;
  const start = head + (masked ? 4 : 0);
  if (bytes.length < start) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < start + length) return undefined;
  const payload = Buffer.from(bytes.subarray(start, start + length));
  if (masked) {
    const mask = bytes.subarray(head, start);
    for (let index = 0; index < length; index += 1) payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0);
  }
  return { frame: { opcode: first & 0x0f, payload }, rest: bytes.subarray(start + length) };
}
