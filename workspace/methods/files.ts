import { ApiError } from '../api-error.ts';
import { jsonArg, requiredArg, stringArg } from '../arguments.ts';
import { type Core, nextId } from '../core.ts';
import { type Json, records, text } from '../json.ts';
import { addMessage, appAuthor, toBlocks } from '../messages.ts';
import { fileOnWire } from '../wire.ts';
import { toThread } from './chat.ts';
import { type Methods, writableChannel } from './method.ts';

const TYPES: Record<string, string> = {
  csv: 'text/csv',
  txt: 'text/plain',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
};

function getUploadUrl(core: Core, args: Json): Json {
  const name = requiredArg(args, 'filename');
  const length = Number(requiredArg(args, 'length'));
  if (!Number.isInteger(length) || length <= 0)
    throw new ApiError('invalid_arguments', ['length must be a positive number']);
  const id = nextId(core, 'F');
  const mimetype = TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';
  core.state.files.set(id, {
    id,
    name,
    title: name,
    mimetype,
    size: length,
    content: Buffer.alloc(0),
    complete: false,
  });
  return { upload_url: `${core.origin}/upload/${id}`, file_id: id };
}

function completeUpload(core: Core, args: Json): Json {
  const wanted = records(jsonArg(args, 'files', 'invalid_arguments'));
  if (wanted.length === 0) throw new ApiError('invalid_arguments', ['missing required field: files']);
  const files = wanted.map((entry) => {
    const file = core.state.files.get(String(entry.id));
    if (!file) throw new ApiError('file_not_found');
    if (file.content.length === 0) throw new ApiError('file_upload_incomplete');
    return { file, title: text(entry.title) ?? file.name };
  });
  const reference = stringArg(args, 'channel_id') ?? stringArg(args, 'channels');
  const channel = reference === undefined ? undefined : writableChannel(core, reference);
  const thread = channel ? toThread(core, channel.id, args) : {};
  const blocks = toBlocks(jsonArg(args, 'blocks', 'invalid_blocks_format'));
  for (const { file, title } of files) Object.assign(file, { title, complete: true });
  const ids = files.map(({ file }) => file.id);
  if (channel) {
    const content = { text: stringArg(args, 'initial_comment') ?? '', ...(blocks ? { blocks } : {}) };
    addMessage(core, channel.id, { ...appAuthor(core), ...thread, subtype: 'file_share', files: ids }, content);
  }
  return { files: ids.map((id) => fileOnWire(core, id)) };
}

/** The three steps of an upload. The second is a plain POST to the URL from the first. */
export const fileMethods: Methods = {
  'files.getUploadURLExternal': { tier: 'tier4', scopes: ['files:write'], run: getUploadUrl },
  'files.completeUploadExternal': { tier: 'tier4', scopes: ['files:write'], run: completeUpload },
  'files.info': {
    tier: 'tier4',
    scopes: ['files:read'],
    run: (core, args) => {
      const id = requiredArg(args, 'file', 'file_not_found');
      if (!core.state.files.get(id)?.complete) throw new ApiError('file_not_found');
      return { file: fileOnWire(core, id) };
    },
  },
};
