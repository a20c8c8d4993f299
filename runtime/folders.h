/** @file folders.h  Where the recorded machines lie that come with the library. */
#ifndef PSG_RUNTIME_FOLDERS_H
#define PSG_RUNTIME_FOLDERS_H

/** The folders in which a machine's file is looked for by its name: where machines are installed,
 *  then where the library was built. */
enum { PSG_MACHINE_FOLDERS = 2, PSG_MACHINE_PATH = 1024 };
void psg_machine_folders(char folder[PSG_MACHINE_FOLDERS][PSG_MACHINE_PATH]);

#endif
