import { appMethods } from './app.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import { fileMethods } from './files.ts';
import type { Methods } from './method.ts';
import { peopleMethods } from './people.ts';
import { viewMethods } from './views.ts';

/** Every supported Web API method. All others answer `unknown_method`. */
export const METHODS: Methods = {
  ...appMethods,
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
  ...peopleMethods,
  ...viewMethods,
};
