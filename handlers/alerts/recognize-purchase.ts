import { actOnAlert } from '../dispatch/act-on-alert.ts';

/** *It was me* on a message to the holder. */
export const recognizePurchase = actOnAlert('recognize');
