# crawlfs.fish - completion for fish.  The program knows the words: crawlfs
# complete, src/cli/cmd_complete.c.
# SPDX-License-Identifier: GPL-3.0-or-later

function __crawlfs_complete
    set -l words (commandline -opc)
    set -l typed (string unescape -- (commandline -ct))
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program complete -- $words "$typed" 2>/dev/null)
    set -l first (string split \t -- $lines[1])
    set -e lines[1]
    set -l rest (string sub -s (math 1 + (string length -- "$first[2]")) -- "$typed")
    switch "$first[1]"
        case files
            set lines "$first[2]"(__fish_complete_path "$rest")
        case folders
            set lines "$first[2]"(__fish_complete_directories "$rest" "")
    end
    printf '%s\n' $lines
end

complete -c crawlfs -f -a '(__crawlfs_complete)'
