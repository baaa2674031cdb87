# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_mediactl_global_optspecs
    string join \n conf= url= x/context= cluster= color= show-secrets mask api-prefix= user= password-file= cacert= cert= key= fingerprint= insecure timeout= h/help V/version
end

function __fish_mediactl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_mediactl_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_mediactl_using_subcommand
    set -l cmd (__fish_mediactl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c mediactl -n "__fish_mediactl_needs_command" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_needs_command" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_needs_command" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_needs_command" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_needs_command" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_needs_command" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_needs_command" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_needs_command" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_needs_command" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_needs_command" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_needs_command" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_needs_command" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_needs_command" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_needs_command" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_needs_command" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_needs_command" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_needs_command" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "read" -d 'Show the configuration, or single values of it'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "modify" -d 'Change some values and leave everything else as it is'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "edit" -d 'Edit the configuration, or one entry of it, in a text editor'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "add" -d 'Add a stream, live or plugin'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "mv" -d 'Give a stream, live or plugin another name'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "cp" -d 'Copy a stream, live or plugin'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "rm" -d 'Remove streams, or other values'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "update" -d 'Replace the running configuration of a server without touching its file'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "save" -d 'Replace the configuration file with exactly the given text'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "apply" -d 'Bring the configuration to a desired state, such as one from a Git repository'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "diff" -d 'Show how two configurations differ'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "check" -d 'Check configuration files and show every fault'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "explain" -d 'Explain a parameter, and show its value and where that comes from'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "fmt" -d 'Format the configuration: indentation, blanks, blank lines and line ends'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "history" -d 'Show what was changed, when, and by whom'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "rollback" -d 'Make an earlier text the configuration again'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "blame" -d 'Show which changes set a value'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "confirm" -d 'Keep a change that waits to be confirmed, or roll it back'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "status" -d 'Show the running, the saved and the pending state of the configuration'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "watch" -d 'Print each change as it happens'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "wait" -d 'Wait until a value is there'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "context" -d 'Name servers, and work on them by their names'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "serve" -d 'Serve the HTTP API over the configuration file'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "init" -d 'Make a first configuration, with a random password'
complete -c mediactl -n "__fish_mediactl_needs_command" -f -a "help" -d 'Explain a command, or the options of every command'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l where -d 'Show only the entries that meet this condition; if it is given several times, all of them' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -s o -l output -d 'How to print it' -r -f -a "json\t'JSON, indented'
compact\t'JSON on one line'
conf\t'The text of the file'
set\t'One line for each value, as `modify --set` takes it'
table\t'One line for each stream, live and plugin, with the authorization that applies to it'"
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l columns -d 'The columns of the table, separated by commas [default: those of the group]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l sort -d 'Sort the table by this column; with a `-` in front in descending order' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l saved -d 'Show the saved file, even if a server runs another configuration'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l with-includes -d 'Show what the included files add, too; this is for looking only and can\'t be written back'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l skip-streams -d 'Leave out static streams'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -l runtime -d 'Add the figures of the server, as `runtime`'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -s r -l raw -d 'Print a string at a PATH as it is, without quotes'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand read" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l set -d 'Set a value, such as `streams.cam1.prepush=5`; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l set-string -d 'Set a string, even if it looks like a number or JSON' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l set-file -d 'Set a value to the contents of a file; `-` is standard input' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l unset -d 'Remove a value; it is an error if the value is missing' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l replace -d 'Replace a part of the strings at PATH; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l where -d 'Edit only the entries that meet this condition; if it is given several times, all of them' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -s f -l file -d 'Merge a JSON patch (RFC 7396) from a file; `-` is standard input' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l expect -d 'Make the change only if PATH has this value, or no value for `null`; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l create -d 'Let --set create a stream, live or plugin, or a keyword that looks misspelt'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l ignore-missing -d 'Let --unset succeed if there is nothing to remove'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand modify" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l resume -d 'Go on with the last edit that was not finished'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand edit" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l set -d 'Set a value in it, such as `prepush=5`; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand add" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand mv" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l set -d 'Set a value of the copy, such as `prepush=5`; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l unset -d 'Remove a value of the copy; it is an error if the value is missing' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand cp" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l where -d 'Remove only entries that meet this condition, as in `mediactl modify`; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l ignore-missing -d 'Succeed if there is nothing to remove'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand rm" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand update" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand save" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l prune -d 'Delete the streams, lives and plugins that are not in FILE; everything else stays'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand apply" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l where -d 'Compare only the streams that meet this condition; if it is given several times, all of them' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -l json -d 'Print the JSON patch (RFC 7396) that turns A into B'
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand diff" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -s o -l output -d 'How to print the faults' -r -f -a "text\t'A few lines for each fault'
json\t'An array with an object for each fault'"
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -l strict -d 'Treat warnings as errors'
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand check" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -s o -l output -d 'How to print it' -r -f -a "text\t'One line for each entry'
json\t'JSON'"
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand explain" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l check -d 'Name what is not formatted, and change nothing'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand fmt" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -s n -l max-count -d 'Show at most this many changes' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l since -d 'Show the changes since then: a date (`2026-11-22`, `2026-11-22 15:04`), or how long ago (`2h`, `3 days`)' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -s o -l output -d 'How to print it' -r -f -a "text\t'One line for each entry'
json\t'JSON'"
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -s p -l patch -d 'Show what each change did, as a diff'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and not __fish_seen_subcommand_from show" -a "show" -d 'Show the whole text from before a change'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand history; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l accept -d 'Accept what this guard would refuse or ask about; several names are separated by commas' -r -f -a "would-remove-credentials\t''
empty-replacement\t''
form-change\t''
near-miss\t''
one-line\t''"
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -s o -l output -d 'How to print the change' -r -f -a "diff\t'The lines of the file that change'
json\t'The whole new configuration as JSON'
change-json\t'What changed, as JSON for programs'"
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -s m -l message -d 'The reason for the change, for the history' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l max-delete -d 'Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l confirm -d 'Roll the change back unless it is confirmed within this time, such as `60s` or `5m`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l dry-run -d 'Show the change, but neither write it nor run the reload command'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l force -d 'Make the change without asking, even if it looks like a mistake; implies --yes and every --accept'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -s y -l yes -d 'Answer yes to a question about the change as a whole; this accepts no guard'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -s q -l quiet -d 'Print only errors and warnings, and what `-o change-json` prints'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -l exit-code -d 'Exit with code 10 if something changed, or would change in a dry run'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand rollback" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -s o -l output -d 'How to print it' -r -f -a "text\t'One line for each entry'
json\t'JSON'"
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand blame" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -l revert -d 'Roll the change back now'
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -s q -l quiet -d 'Print only errors and warnings'
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand confirm" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -s o -l output -d 'How to print it' -r -f -a "text\t'One line for each entry'
json\t'JSON'"
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand status" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand watch" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand wait" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -f -a "add" -d 'Add a server: `--url`, and `--user`, `--cacert` or `--fingerprint` if it needs them'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -f -a "list" -d 'List all contexts; a `*` marks the one in use'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -f -a "use" -d 'Use a context wherever nothing else names a target'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -f -a "show" -d 'Show what a context says'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and not __fish_seen_subcommand_from add list use show remove" -f -a "remove" -d 'Remove a context'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l password-command -d 'Shell command that prints the password; it runs whenever the password is needed' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l group -d 'A group that the server belongs to; several are separated by commas' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l protected -d 'Ask before every change'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l replace -d 'Change the context if it exists: what is not given stays'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from add" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -s o -l output -d 'How to print them' -r -f -a "text\t'One line for each entry'
json\t'JSON'"
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from list" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l none -d 'Use none any more'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from use" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand context; and __fish_seen_subcommand_from remove" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l listen -d 'Address and port to listen on, or `:PORT` for all addresses; `none` means only the Unix socket, port 0 means any free port; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l metrics -d 'Address and port where `/metrics` and `/healthz` are served without credentials and without TLS, and nothing else; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l tls-cert -d 'Certificate chain in PEM, leaf certificate first; TCP then speaks only HTTPS' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l tls-key -d 'Private key of the certificate, in PEM' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l max-body -d 'Largest request body, in MiB' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l max-connections -d 'Maximum number of TCP connections at a time; fewer if the limit of open files is too low' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l trusted-proxy -d 'IP address of a proxy whose X-Forwarded-For header is trusted, and to which the limit of connections from one address does not apply; may be given several times' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l runtime-cmd -d 'Shell command that prints figures of the media server as a JSON object, which `runtime=true` then shows, too' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l log-format -d 'Form of the line that is logged on stderr for each request' -r -f -a "text\t'Fields separated by blanks'
json\t'A JSON object'"
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l check-cmd -d 'Shell command that checks the new configuration before it is written; if it fails, nothing is written' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l reload-cmd -d 'Shell command that makes the media server load the change; if it fails, the change is rolled back' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l hook-timeout -d 'How many seconds each of these two commands may take' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l keep -d 'How many earlier texts the history keeps from now on [default: as set last, else 100]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l view-auth -d 'Let the account of `view_auth` look at the configuration, its history and the metrics, all with masked secrets; it can change nothing'
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l tls-self-signed -d 'Make a certificate, keep it in the state folder, and print its fingerprint; TCP then speaks only HTTPS'
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -l no-guards -d 'Make every requested change, even one that removes all access to the API'
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand serve" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand init" -s V -l version -d 'Print version'
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l conf -d 'The configuration file to work on' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l url -d 'The server to work on instead, such as `https://media.example`; may contain login and password' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -s x -l context -d 'The context to work on instead: a server that `mediactl context add` gave a name' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l cluster -d 'The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l api-prefix -d 'The path of the API on the server' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l user -d 'The login [default: the one in the URL, else MEDIACTL_LOGIN]' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l password-file -d 'A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l cacert -d 'Trust only the certificate authorities in this PEM file' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l cert -d 'The certificate to show to etcd (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l key -d 'The private key of that certificate (PEM)' -r -F
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l fingerprint -d 'Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l timeout -d 'How many seconds a request may take in all' -r
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l show-secrets -d 'Show passwords and keys instead of masks'
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l mask -d 'Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this'
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -l insecure -d 'Accept any certificate: the connection is then open to impostors'
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mediactl -n "__fish_mediactl_using_subcommand help" -s V -l version -d 'Print version'
