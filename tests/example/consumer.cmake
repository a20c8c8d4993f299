# Install the project, move what was installed to another folder, then run the command from there, and build
# and run programs against it.
#   cmake -DNAME=psg|psg-simulate -DVERSION=... -DWAY=package|pkgconfig -DBUILD=... -DPROJECT=... -DSTARPU=... -DSOURCE=...
#       -DWORK=... -DCOMPILER=... -DFLAGS=... -DINTERPRETER=... -DPYTHON=... -DFORTRAN=... -P consumer.cmake
# PROJECT is the clone, STARPU the prefix of its own StarPU, SOURCE the folder of this file, INTERPRETER a Python, PYTHON the
# folder of the package in the prefix, FORTRAN a compiler; PYTHON and FORTRAN are empty where they are not tried. A simulation computes nothing: its programs are not run.
set(prefix ${WORK}/moved/prefix)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/moved)

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "'${ARGN}' ended with ${result}:\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${prefix})
file(GLOB_RECURSE files RELATIVE ${prefix} ${prefix}/*)

# The real and the simulating build can share a prefix: headers and machines are the same files, all others have
# the build's name.
foreach(file ${files})
    if(file MATCHES "^(include/psg|share/psg/)")
        continue()
    endif()
    if(NOT file MATCHES "/(lib|_)?${NAME}" OR (NAME STREQUAL "psg" AND file MATCHES "psg-simulate"))
        message(FATAL_ERROR "${file}: the other build may install a file of this name")
    endif()
endforeach()

# Nothing that was installed names the clone, its builds, or the folder before the move.
get_filename_component(starpu ${STARPU} REALPATH)
set(places ${BUILD} ${PROJECT}/build ${PROJECT}/bindings ${STARPU} ${starpu} ${WORK}/installed)
function(names_no_place what text)
    foreach(place ${places})
        string(FIND "${text}" "${place}/" found)
        if(NOT found EQUAL -1)
            message(FATAL_ERROR "${what} names ${place}:\n${text}")
        endif()
    endforeach()
endfunction()
foreach(file ${files})
    file(READ ${prefix}/${file} start LIMIT 4 HEX)
    if(start STREQUAL "7f454c46")
        run(readelf -d ${prefix}/${file})
        string(REGEX MATCHALL "\\(R(UN)?PATH\\)[^\n]*" paths "${output}")
        string(REPLACE "]" "/" paths "${paths}")
        string(REPLACE ":" "/:" paths "${paths}")
        names_no_place("the RUNPATH of ${file}" "${paths}")
    elseif(file MATCHES "\\.(pc|cmake|1|py)$")
        file(READ ${prefix}/${file} text)
        names_no_place(${file} "${text}")
    endif()
endforeach()

# uses(program library ...): it uses these libraries of those that were installed. A StarPU of the system is not.
function(uses program)
    run(ldd ${program})
    foreach(library ${ARGN})
        string(REGEX MATCH "${library}[^\n]*" line "${output}")
        string(FIND "${line}" "=> ${prefix}/" found)
        if(found EQUAL -1)
            message(FATAL_ERROR "${program} does not use the installed ${library}: ${line}")
        endif()
    endforeach()
endfunction()
set(installed_starpu)
if(files MATCHES "libstarpu-1\\.4\\.so")
    set(installed_starpu libstarpu)
endif()

# The command.
uses(${prefix}/bin/${NAME} lib${NAME} ${installed_starpu})
if(NAME STREQUAL "psg")
    run(${prefix}/bin/psg solve --problem modes --grid 8 --effort estimate --gpus 0 --verify)
else()
    # A name that the clone does not know: the machines that were installed are found where they are now.
    file(RENAME ${prefix}/share/psg/machines/h200.machine ${prefix}/share/psg/machines/moved.machine)
    run(${prefix}/bin/${NAME} solve --machine moved --problem modes --grid 64 --gpus 1)
endif()

# The Python package.
if(PYTHON)
    run(${CMAKE_COMMAND} -E env --unset=PSG_LIBRARY --unset=LD_LIBRARY_PATH PYTHONPATH=${prefix}/${PYTHON} ${INTERPRETER} -B -c
"import numpy, psg
assert psg._library.lib._name.startswith('${prefix}/'), psg._library.lib._name
assert psg.__version__ == '${VERSION}', psg.__version__
x = 2 * numpy.pi * numpy.arange(16) / 16
u = psg.solve(numpy.cos(x) * numpy.ones((12, 10, 1)), box=(1, 1, 2 * numpy.pi))
assert abs(u + numpy.cos(x)).max() <= 1e-12")
endif()

# Programs: poisson.c uses the library alone, starpu_heat.c StarPU, too.
if(WAY STREQUAL "package")
    run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${WORK}/build -DCMAKE_PREFIX_PATH=${prefix} -DNAME=${NAME} -DVERSION=${VERSION}
        -DCMAKE_C_COMPILER=${COMPILER} "-DCMAKE_C_FLAGS=${FLAGS}" -DFORTRAN=${FORTRAN} -DCMAKE_Fortran_COMPILER=${FORTRAN})
    run(${CMAKE_COMMAND} --build ${WORK}/build)
    set(folder ${WORK}/build)
else()
    file(GLOB_RECURSE pc ${prefix}/*/${NAME}.pc)
    list(LENGTH pc count)
    if(NOT count EQUAL 1)
        message(FATAL_ERROR "${NAME}.pc was installed as '${pc}'")
    endif()
    get_filename_component(pc ${pc} DIRECTORY)
    set(ENV{PKG_CONFIG_PATH} "${pc}:$ENV{PKG_CONFIG_PATH}")
    set(folder ${WORK})
    separate_arguments(flags UNIX_COMMAND "${FLAGS}")
    # pkg_config(package variable|flags): what pkg-config says of a package, as a list
    function(pkg_config package)
        run(pkg-config ${ARGN} ${package})
        string(STRIP "${output}" output)
        separate_arguments(output UNIX_COMMAND "${output}")
        set(said "${output}" PARENT_SCOPE)
    endfunction()
    pkg_config(${NAME} --variable=libdir)
    set(rpath -Wl,-rpath,${said})
    pkg_config(${NAME}-starpu --variable=starpu_libdir)
    list(APPEND rpath -Wl,-rpath,${said})
    foreach(pair poisson:${NAME} starpu_heat:${NAME}-starpu)
        string(REPLACE ":" ";" pair ${pair})
        list(GET pair 0 program)
        list(GET pair 1 package)
        pkg_config(${package} --cflags --libs)
        run(${COMPILER} ${flags} ${SOURCE}/${program}.c -o ${WORK}/${program} ${said} -lm ${rpath})
    endforeach()
    if(FORTRAN)
        pkg_config(${NAME} --variable=includedir)
        set(module ${said}/psg.f90)
        pkg_config(${NAME} --libs)
        run(${FORTRAN} -J${WORK} ${module} ${PROJECT}/tests/fortran/taylor_green.f90 -o ${WORK}/taylor_green ${said} ${rpath})
    endif()
endif()
uses(${folder}/poisson lib${NAME} ${installed_starpu})
uses(${folder}/starpu_heat lib${NAME} ${installed_starpu})
if(NAME STREQUAL "psg")
    if(FORTRAN)
        set(fortran_program taylor_green)
        uses(${folder}/taylor_green lib${NAME} ${installed_starpu})
    endif()
    foreach(program poisson starpu_heat ${fortran_program})
        run(${folder}/${program})
        message(STATUS "${output}")
    endforeach()
endif()
